// A chart with lines, as a figure that a reader of the page can also read as text.
//
//   LC1. The chart says whether its figures were measured or simulated, and names its runs.
//   LC2. Lines differ by dashes and marks too, not by colour alone; the text for those who do not see the chart names every point's range.

import { type Axis, colourName, evenAxis, logarithmicAxis, markText } from './axes.ts';
import { escaped } from './markup.ts';

/** How figures came about. */
export type FigureKind = 'MEASURED' | 'SIMULATED';

/** One line. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What is drawn. */
export interface LineChart {
  readonly id: string;
  readonly title: string;
  readonly kind: FigureKind;
  /** The runs that the figures are from. */
  readonly source: string;
  readonly x: { readonly label: string; readonly logarithmic?: boolean };
  readonly y: { readonly label: string; readonly logarithmic?: boolean };
  readonly series: readonly Series[];
}

const size = { width: 640, height: 340, left: 62, right: 18, top: 16, bottom: 46 };
const dashes = ['none', '6 3', '2 3', '9 3 2 3', '12 4', '1 2'];
const fixed = (value: number) => value.toFixed(1);
/** Points of a line beyond which it has no dots. */
const dotsAtMost = 24;

/** The chart as HTML (LC1, LC2); nothing when there is nothing to draw. */
export function lineChart(chart: LineChart): string {
  const drawn = chart.series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return '';
  const points = drawn.flatMap((series) => series.points);
  const { width, height, left, right, top, bottom } = size;
  const axis = (logarithmic: boolean | undefined) => (logarithmic === true ? logarithmicAxis : evenAxis);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const x = axis(chart.x.logarithmic)(xs, left, width - right);
  const y = axis(chart.y.logarithmic)(ys, height - bottom, top);
  const lines = drawn.map((series, index) => lineOf(series, index, x, y));
  const label = `${chart.id}-title ${chart.id}-text`;
  const names = drawn.map(({ name }, index) => `<li>${key(index)}${escaped(name)}</li>`);
  const legend = names.length < 2 ? '' : `<ul class="legend">${names.join('')}</ul>`;
  return `<figure><svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${label}"><title id="${chart.id}-title">${escaped(chart.title)}</title><desc id="${chart.id}-text">${escaped(inWords(chart, drawn))}</desc>${grid(x, y)}${lines.join('')}<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">${escaped(chart.x.label)}</text></svg>
${legend}<figcaption><strong>${escaped(chart.title)}</strong>, ${escaped(chart.y.label)}. ${chart.kind}: ${escaped(chart.source)}</figcaption></figure>`;
}

function grid(x: Axis, y: Axis): string {
  const { width, height, left, right, top, bottom } = size;
  const verticals = x.marks.map((mark) => {
    const at = fixed(x.place(mark));
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}"/><text x="${at}" y="${height - bottom + 16}" text-anchor="middle">${markText(mark)}</text>`;
  });
  const horizontals = y.marks.map((mark) => {
    const at = fixed(y.place(mark));
    return `<line class="grid" x1="${left}" x2="${width - right}" y1="${at}" y2="${at}"/><text x="${left - 6}" y="${at}" dy="4" text-anchor="end">${markText(mark)}</text>`;
  });
  return verticals.join('') + horizontals.join('');
}

function look(index: number): { colour: string; dash: string } {
  return {
    colour: colourName(index),
    dash: dashes[index % dashes.length] as string,
  };
}

function lineOf({ points }: Series, index: number, x: Axis, y: Axis): string {
  const { colour, dash } = look(index);
  const places = points.map(([atX, atY]) => `${fixed(x.place(atX))},${fixed(y.place(atY))}`);
  const line = `<polyline points="${places.join(' ')}" fill="none" style="stroke:${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
  if (places.length > dotsAtMost) return line;
  const dots = places.map((place) => {
    const [cx, cy] = place.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3.5" style="fill:${colour}"/>`;
  });
  return line + dots.join('');
}

function key(index: number): string {
  const { colour, dash } = look(index);
  return `<svg class="key" viewBox="0 0 28 8" aria-hidden="true"><line x1="0" x2="28" y1="4" y2="4" style="stroke:${colour}" stroke-width="3" stroke-dasharray="${dash}"/></svg>`;
}

function inWords({ x, y }: LineChart, drawn: readonly Series[]): string {
  const number = (value: number) => String(Number(value.toPrecision(3)));
  const each = drawn.map(({ name, points }) => {
    const [first, last] = [points[0] as readonly [number, number], points.at(-1) as readonly [number, number]];
    const values = points.map(([, value]) => value);
    const ends = `${number(first[1])} at ${number(first[0])}, ${number(last[1])} at ${number(last[0])}`;
    return `${name}: ${ends}; least ${number(Math.min(...values))}, greatest ${number(Math.max(...values))}`;
  });
  return `${y.label} by ${x.label}. ${each.join('. ')}.`;
}
