// How values look on a terminal: tables, times, counts, colours.

import { oneLine } from '@firetrident/base';
import picocolors from 'picocolors';

/** The colours of one stream: real on a terminal, none elsewhere. */
export type Colours = ReturnType<typeof picocolors.createColors>;

/** Colours, or functions that leave text as it is. */
export function coloursFor(enabled: boolean): Colours {
  return picocolors.createColors(enabled);
}

/** Characters of a cell, beyond which it is cut. */
const longestCell = 200;

/** Rows in aligned columns, with a header. The last column is not padded. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows.map((row) => row.map((cell) => oneLine(cell, longestCell)))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** A duration for a person: "0.42 s", "3 min 5 s". */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The value at a share of a list, by nearest rank; 0 for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1))] ?? 0;
}
