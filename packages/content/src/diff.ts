// The difference of two texts as an edit script, line by line.
//
// The script is the one that git's default algorithm finds (Myers, without the indent heuristic, as git merge-file
// uses it), because a merge depends on it: with another script that is just as short, other changes would touch.
//
// Invariants:
//   DF1. A script is ordered, its hunks are not empty, and between two of them lies at least one unchanged line.
//   DF2. The unchanged lines of both texts are equal, one by one: the script turns the text before into the text after.
//   DF3. The script equals that of git 2.39 for every pair of texts.

import { approximateSquareRoot, pickCandidates } from './diff-candidates.ts';
import { slideRuns } from './diff-slide.ts';
import { type Box, SplitSearch } from './diff-split.ts';
import { LineNumbering } from './lines.ts';

/**
 * One change: `beforeCount` lines from line `beforeStart` on became `afterCount` lines from `afterStart` on. Lines
 * count from 0. A pure insertion has `beforeCount` 0 and stands before line `beforeStart`.
 */
export type Hunk = {
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
};

/** The least number of edits that a search may cost before it is cut off. */
const leastCostLimit = 256;

/** The edit script from `before` to `after` (DF1, DF2, DF3); empty when they are equal. */
export function diffLines(before: Uint8Array, after: Uint8Array): Hunk[] {
  const numbering = new LineNumbering();
  const beforeNumbers = numbering.number(before).numbers;
  const afterNumbers = numbering.number(after).numbers;
  return diffNumbers(beforeNumbers, afterNumbers, numbering.count);
}

/** The edit script between two texts whose lines are numbered by one numbering; `count` is how many numbers it gave. */
export function diffNumbers(before: Int32Array, after: Int32Array, count: number): Hunk[] {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const beforeEnd = before.length - tail;
  const afterEnd = after.length - tail;
  if (head === beforeEnd && head === afterEnd) return [];
  const beforeChanged = new Uint8Array(before.length);
  const afterChanged = new Uint8Array(after.length);
  const beforeKept = pickCandidates(before, head, beforeEnd, occurrences(after, count), beforeChanged);
  const afterKept = pickCandidates(after, head, afterEnd, occurrences(before, count), afterChanged);
  markChanges(before, beforeKept, beforeChanged, after, afterKept, afterChanged);
  slideRuns(before, beforeChanged, after, afterChanged);
  slideRuns(after, afterChanged, before, beforeChanged);
  return collectHunks(beforeChanged, afterChanged);
}

function occurrences(numbers: Int32Array, count: number): Int32Array {
  const found = new Int32Array(count);
  for (const number of numbers) found[number] = (found[number] as number) + 1;
  return found;
}

/** Marks the candidates that are not part of the common subsequence, cutting the problem in two until it is trivial. */
function markChanges(
  before: Int32Array,
  beforeKept: Int32Array,
  beforeChanged: Uint8Array,
  after: Int32Array,
  afterKept: Int32Array,
  afterChanged: Uint8Array,
): void {
  const left = beforeKept.map((line) => before[line] as number);
  const right = afterKept.map((line) => after[line] as number);
  const costLimit = Math.max(approximateSquareRoot(left.length + right.length + 3), leastCostLimit);
  const search = new SplitSearch(left, right, costLimit);
  const waiting: { readonly box: Box; readonly exact: boolean }[] = [
    { box: { beforeStart: 0, beforeEnd: left.length, afterStart: 0, afterEnd: right.length }, exact: false },
  ];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    const box = withoutEqualEnds(item.box, left, right);
    const { beforeStart, beforeEnd, afterStart, afterEnd } = box;
    if (beforeStart === beforeEnd) {
      for (let index = afterStart; index < afterEnd; index += 1) afterChanged[afterKept[index] as number] = 1;
    } else if (afterStart === afterEnd) {
      for (let index = beforeStart; index < beforeEnd; index += 1) beforeChanged[beforeKept[index] as number] = 1;
    } else {
      const split = search.find(box, item.exact);
      waiting.push({
        box: { beforeStart: split.before, beforeEnd, afterStart: split.after, afterEnd },
        exact: split.highExact,
      });
      waiting.push({
        box: { beforeStart, beforeEnd: split.before, afterStart, afterEnd: split.after },
        exact: split.lowExact,
      });
    }
  }
}

function withoutEqualEnds(box: Box, left: Int32Array, right: Int32Array): Box {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = box;
  while (beforeStart < beforeEnd && afterStart < afterEnd && left[beforeStart] === right[afterStart]) {
    beforeStart += 1;
    afterStart += 1;
  }
  while (beforeStart < beforeEnd && afterStart < afterEnd && left[beforeEnd - 1] === right[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd };
}

/** Reads the script off the marks: runs of changed lines in either text that stand in the same gap are one hunk (DF1). */
function collectHunks(beforeChanged: Uint8Array, afterChanged: Uint8Array): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0;
  let after = 0;
  while (before < beforeChanged.length || after < afterChanged.length) {
    const beforeStart = before;
    const afterStart = after;
    while (beforeChanged[before] === 1) before += 1;
    while (afterChanged[after] === 1) after += 1;
    if (before > beforeStart || after > afterStart) {
      hunks.push({ beforeStart, beforeCount: before - beforeStart, afterStart, afterCount: after - afterStart });
    } else {
      before += 1;
      after += 1;
    }
  }
  return hunks;
}
