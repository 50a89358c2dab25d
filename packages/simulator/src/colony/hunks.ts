// Changed ranges of a file as flat numbers, and how they move when others change the file.
//
// A range is three numbers: where it begins, where it ends (both as gaps between lines, so an insertion begins where it ends),
// and by how many lines the file grows there. Ranges of one change are sorted and apart.
//
//   HU1. Two changes merge exactly when no range of one touches a range of the other: overlapping and adjacent ones conflict,
//        as in `git merge-file`.

import type { TaskFile } from '../workload/task.ts';

/** Sorted ranges: begin, end, growth, begin, end, growth, … */
export type Ranges = Int32Array;

/** A change of a whole file: nothing else of the file can be changed beside it. */
export const wholeFile: Ranges = Int32Array.of(0, 0x3fff_ffff, 0);

/** The ranges that a task changes in a file. Adding, deleting or retyping a file is a change of all of it. */
export function rangesOf(file: TaskFile): Ranges {
  if (file.status !== 'M' || file.hunks.length === 0) return wholeFile;
  const ranges = new Int32Array(file.hunks.length * 3);
  for (const [index, [oldStart, oldLines, , newLines]] of file.hunks.entries()) {
    const begin = oldLines === 0 ? oldStart : oldStart - 1;
    ranges[index * 3] = begin;
    ranges[index * 3 + 1] = begin + oldLines;
    ranges[index * 3 + 2] = newLines - oldLines;
  }
  return ranges;
}

/** `mine` as it lies after `theirs` landed on the same text; null when they conflict (HU1). */
export function mapRanges(mine: Ranges, theirs: Ranges): Ranges | null {
  if (mine === wholeFile || theirs === wholeFile) return null;
  let mapped: Ranges | null = null;
  let shift = 0;
  let other = 0;
  for (let at = 0; at < mine.length; at += 3) {
    const begin = mine[at] as number;
    const end = mine[at + 1] as number;
    while (other < theirs.length && (theirs[other + 1] as number) < begin) {
      shift += theirs[other + 2] as number;
      other += 3;
    }
    if (other < theirs.length && (theirs[other] as number) <= end) return null;
    if (shift === 0) continue;
    mapped ??= mine.slice();
    mapped[at] = begin + shift;
    mapped[at + 1] = end + shift;
  }
  return mapped ?? mine;
}
