// Ranges of changes, compared with the merge that the trunk writer uses.

import { utf8, utf8Text } from '@firetrident/base';
import { mergeLines } from '@firetrident/content';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskFile, TaskHunk } from '../workload/task.ts';
import { mapRanges, rangesOf, wholeFile } from './hunks.ts';

const baseLines = Array.from({ length: 24 }, (_, index) => `line ${index}`);

/** Replacements in ascending order: lines that stay, lines that go, lines that come. */
const editsWith = (leastAdded: number) =>
  fc.array(
    fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: leastAdded, max: 2 })),
    { minLength: 1, maxLength: 4 },
  );

interface Change {
  readonly hunks: readonly TaskHunk[];
  readonly added: readonly (readonly string[])[];
}

function changeOf(list: readonly (readonly [number, number, number])[], side: string): Change {
  const hunks: TaskHunk[] = [];
  const added: string[][] = [];
  let at = 0;
  let shift = 0;
  for (const [keep, goes, comes] of list) {
    at += keep;
    if (goes + comes === 0 || at + goes > baseLines.length) continue;
    hunks.push([goes === 0 ? at : at + 1, goes, comes === 0 ? at + shift : at + shift + 1, comes]);
    added.push(Array.from({ length: comes }, (_, index) => `${side} ${hunks.length} ${index}`));
    at += goes;
    shift += comes - goes;
  }
  return { hunks, added };
}

function applied(lines: readonly string[], ranges: Int32Array, added: Change['added']): string[] {
  const result = [...lines];
  for (let index = added.length - 1; index >= 0; index -= 1) {
    const begin = ranges[index * 3] as number;
    result.splice(begin, (ranges[index * 3 + 1] as number) - begin, ...(added[index] as readonly string[]));
  }
  return result;
}

function fileWith(hunks: readonly TaskHunk[], status: TaskFile['status'] = 'M'): TaskFile {
  return { path: 'a', pathId: 0, status, hunks, symbols: null };
}

const bytes = (lines: readonly string[]) => utf8(`${lines.join('\n')}\n`);

describe('ranges', () => {
  it('[HU1] merge exactly when the texts merge, and lie afterwards where the merge put them', () => {
    fc.assert(
      // Two sides that delete the same lines are one change to texts and two to ranges, so one side always adds.
      fc.property(editsWith(0), editsWith(1), (left, right) => {
        const mine = changeOf(left, 'mine');
        const theirs = changeOf(right, 'theirs');
        fc.pre(mine.hunks.length > 0 && theirs.hunks.length > 0);
        const mineRanges = rangesOf(fileWith(mine.hunks));
        const theirRanges = rangesOf(fileWith(theirs.hunks));
        const mineText = applied(baseLines, mineRanges, mine.added);
        const theirText = applied(baseLines, theirRanges, theirs.added);
        const merge = mergeLines(bytes(baseLines), bytes(theirText), bytes(mineText));
        const mapped = mapRanges(mineRanges, theirRanges);
        expect(mapped === null ? 'conflict' : 'clean').toBe(merge.kind);
        if (mapped === null || merge.kind !== 'clean') return;
        expect(`${applied(theirText, mapped, mine.added).join('\n')}\n`).toBe(utf8Text(merge.bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('[HU1] of an added, deleted or retyped file merge with nothing', () => {
    for (const status of ['A', 'D', 'T'] as const) {
      expect(rangesOf(fileWith([[0, 0, 1, 3]], status))).toBe(wholeFile);
    }
    expect(mapRanges(rangesOf(fileWith([[9, 1, 9, 1]])), wholeFile)).toBeNull();
  });
});
