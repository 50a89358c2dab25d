// Axes of charts: where a value lies, and which values are marked.

/** Places values between two ends, and marks some. */
export type Axis = { readonly place: (value: number) => number; readonly marks: readonly number[] };

/** Colours of series, in their order. */
export const colours = [
  '#c2410c',
  '#1d4ed8',
  '#15803d',
  '#7e22ce',
  '#be123c',
  '#0e7490',
  '#a16207',
  '#4d7c0f',
  '#475569',
  '#be185d',
  '#0f766e',
  '#1e293b',
] as const;

/** The same for dark ground. */
export const coloursOnDark = [
  '#fb923c',
  '#60a5fa',
  '#4ade80',
  '#c084fc',
  '#fb7185',
  '#22d3ee',
  '#facc15',
  '#a3e635',
  '#94a3b8',
  '#f472b6',
  '#2dd4bf',
  '#e2e8f0',
] as const;

/** The colour of a series on a page that defines them as properties, for light and dark ground. */
export function colourName(index: number): string {
  return `var(--c${index % colours.length})`;
}

/** Marks at powers of ten and a place for every positive number; others sit at the beginning. */
export function logarithmicAxis(values: readonly number[], from: number, to: number): Axis {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive, 1e9)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive, 10 ** low))));
  const place = (value: number) => {
    const share = value <= 0 ? 0 : (Math.log10(value) - low) / (high - low);
    return from + Math.max(0, share) * (to - from);
  };
  return { place, marks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)) };
}

/** Even marks from nought to at least the greatest value. */
export function evenAxis(values: readonly number[], from: number, to: number): Axis {
  const greatest = Math.max(...values, 1e-6);
  const step = 10 ** Math.floor(Math.log10(greatest));
  const marked = [step / 2, step, 2 * step].find((each) => greatest / each <= 6) ?? 2 * step;
  const high = Math.ceil(greatest / marked) * marked;
  const marks = Array.from({ length: Math.round(high / marked) + 1 }, (_, index) => index * marked);
  return { place: (value) => from + (value / high) * (to - from), marks };
}

/** A mark as short as it can be. */
export function markText(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  if (value >= 1_000) return `${value / 1_000}k`;
  return String(Number(value.toPrecision(3)));
}
