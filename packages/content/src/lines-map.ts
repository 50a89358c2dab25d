// Where a range of lines of an old text stands in a later one, and whether it is still what it was.

import { assert } from '@firetrident/base';
import { diffNumbers } from './diff.ts';
import { LineNumbering } from './lines.ts';

/** `same`: the lines stand unchanged at `from` to `to`, 1-based and inclusive. */
export type MappedLines =
  | { readonly kind: 'same'; readonly from: number; readonly to: number }
  | { readonly kind: 'changed' };

/**
 * Maps lines `from` to `to` of `before` (1-based, inclusive, `from` at least 1 and at most `to`) to `after`.
 *
 * They are changed when one of them was changed or removed, or a line came between two of them. What is inserted right
 * before or right after them only shifts them. A range may reach beyond the end of the text; then lines appended to the
 * text are lines of the range that came to be, and so changed. A newline added to or taken from the last line changes it.
 */
export function mapLines(before: Uint8Array, after: Uint8Array, from: number, to: number): MappedLines {
  assert(from >= 1 && from <= to, `lines ${from} to ${to} are a range`);
  const numbering = new LineNumbering();
  const beforeNumbers = numbering.number(before).numbers;
  const afterNumbers = numbering.number(after).numbers;
  const start = from - 1;
  let shift = 0;
  for (const hunk of diffNumbers(beforeNumbers, afterNumbers, numbering.count)) {
    const hunkEnd = hunk.beforeStart + hunk.beforeCount;
    const isInside = hunk.beforeStart < to && hunkEnd > start;
    const isAppended = hunk.beforeStart === beforeNumbers.length && to > beforeNumbers.length;
    if (isInside || isAppended) return { kind: 'changed' };
    if (hunkEnd <= start) shift += hunk.afterCount - hunk.beforeCount;
  }
  return { kind: 'same', from: from + shift, to: to + shift };
}
