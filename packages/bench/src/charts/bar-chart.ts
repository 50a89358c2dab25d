// Bars that lie, each of parts, as a figure that a reader of the page can also read as text.
//
//   BC1. The chart says whether its figures were measured or simulated, and names its runs.
//   BC2. Parts stand in the same order in every bar and have their value written where it fits; the text names all of them.

import { colourName, evenAxis, logarithmicAxis, markText } from './axes.ts';
import type { FigureKind } from './line-chart.ts';
import { escaped } from './markup.ts';

/** One bar. */
export interface Bar {
  readonly name: string;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
}

/** What is drawn. */
export interface BarChart {
  readonly id: string;
  readonly title: string;
  readonly kind: FigureKind;
  readonly source: string;
  readonly unit: string;
  /** Only for bars of one part. */
  readonly logarithmic?: boolean;
  readonly bars: readonly Bar[];
}

const size = { width: 640, left: 190, right: 60, top: 8, bottom: 30, row: 30, bar: 20 };
/** Width of a part below which its value is not written into it. */
const leastForText = 34;
const number = (value: number) => (value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))));

/** The chart as HTML (BC1, BC2); nothing when there is nothing to draw. */
export function barChart(chart: BarChart): string {
  if (chart.bars.length === 0) return '';
  const { width, left, right, top, bottom, row } = size;
  const height = top + bottom + row * chart.bars.length;
  const wholes = chart.bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const axis = (chart.logarithmic === true ? logarithmicAxis : evenAxis)(wholes, left, width - right);
  const marks = axis.marks.map((mark) => {
    const at = axis.place(mark).toFixed(1);
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}"/><text x="${at}" y="${height - bottom + 16}" text-anchor="middle">${markText(mark)}</text>`;
  });
  const bars = chart.bars.map((bar, index) => barOf(bar, top + index * row, axis.place));
  const names = chart.bars.reduce<readonly string[]>(
    (most, { parts }) => (parts.length > most.length ? parts.map(({ name }) => name) : most),
    [],
  );
  const swatch = (index: number) =>
    `<svg class="key" viewBox="0 0 28 8" aria-hidden="true"><rect width="28" height="8" style="fill:${colourName(index)}"/></svg>`;
  const legend =
    names.length < 2 ? '' : names.map((name, index) => `<li>${swatch(index)}${escaped(name)}</li>`).join('');
  const label = `${chart.id}-title ${chart.id}-text`;
  return `<figure><svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${label}"><title id="${chart.id}-title">${escaped(chart.title)}</title><desc id="${chart.id}-text">${escaped(inWords(chart))}</desc>${marks.join('')}${bars.join('')}</svg>
${legend === '' ? '' : `<ul class="legend">${legend}</ul>`}<figcaption><strong>${escaped(chart.title)}</strong>, ${escaped(chart.unit)}. ${chart.kind}: ${escaped(chart.source)}</figcaption></figure>`;
}

function barOf({ name, parts }: Bar, atY: number, place: (value: number) => number): string {
  const { left, bar } = size;
  let [sum, from] = [0, left];
  const drawn = parts.map(({ value }, index) => {
    sum += value;
    const to = Math.max(from, place(sum));
    const [width, at] = [to - from, from];
    from = to;
    const rect = `<rect x="${at.toFixed(1)}" y="${atY}" width="${width.toFixed(1)}" height="${bar}" style="fill:${colourName(index)}"/>`;
    if (parts.length === 1 || width < leastForText) return rect;
    return `${rect}<text class="inside" x="${(at + width / 2).toFixed(1)}" y="${atY + 14}" text-anchor="middle">${number(value)}</text>`;
  });
  const label = `<text x="${left - 8}" y="${atY + 14}" text-anchor="end">${escaped(name)}</text>`;
  return `${label}${drawn.join('')}<text x="${(from + 5).toFixed(1)}" y="${atY + 14}">${number(sum)}</text>`;
}

function inWords({ bars, unit }: BarChart): string {
  const each = bars.map(({ name, parts }) =>
    parts.length === 1
      ? `${name}: ${number(parts[0]?.value ?? 0)}`
      : `${name}: ${parts.map((part) => `${part.name} ${number(part.value)}`).join(', ')}`,
  );
  return `In ${unit}. ${each.join('. ')}.`;
}
