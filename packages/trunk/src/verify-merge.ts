// Checking a merge by its witness, without merging.
//
// The witness says, as hunks of lines, how each side came from the base. Checking it is cheaper and simpler than
// finding it: every stretch outside the hunks must be equal, hunks of the two sides may not overlap or touch unless
// both sides made the same of that stretch, and the base with all hunks applied must be the result.
//
// Invariants:
//   VM1. A witness that is accepted proves the merge: the result is the base with both sides' changes, nothing else.
//   VM2. Changes of adjacent lines are a conflict, as for git.

import type { Hunk, MergeWitness } from './model.ts';

interface Lines {
  readonly bytes: Uint8Array;
  /** Offsets of the lines' first bytes, and the end of the text as the last one. */
  readonly starts: readonly number[];
}

/** Hunks that overlap or touch in the base, with the lines of the base that they cover. */
interface Group {
  readonly start: number;
  end: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

/** Why the merge is not proved (VM1), or null when it is. */
export function checkMerge(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  witness: MergeWitness,
  result: Uint8Array,
): string | null {
  const baseLines = linesOf(base);
  const ourLines = linesOf(ours);
  const theirLines = linesOf(theirs);
  if (!isScript(baseLines, ourLines, witness.ours)) return 'its hunks do not turn the base into the file of trunk';
  if (!isScript(baseLines, theirLines, witness.theirs)) return 'its hunks do not turn the base into the proposed file';
  let line = 0;
  let at = 0;
  for (const group of groupsOf(witness)) {
    at = matched(result, at, between(baseLines, line, group.start));
    if (at < 0) return `the result differs from the base after line ${line}`;
    const our = group.ours.length > 0 ? sideOf(ourLines, group, group.ours) : null;
    const their = group.theirs.length > 0 ? sideOf(theirLines, group, group.theirs) : null;
    if (our && their && !(our.length === their.length && matched(our, 0, their) === our.length)) {
      return `both sides changed the base at line ${group.start}, each in its own way`;
    }
    at = matched(result, at, our ?? their ?? base.subarray(0, 0));
    if (at < 0) return `the result differs from the change at line ${group.start} of the base`;
    line = group.end;
  }
  at = matched(result, at, between(baseLines, line, baseLines.starts.length - 1));
  if (at < 0) return `the result differs from the base after line ${line}`;
  return at === result.length ? null : 'the result has more than both sides';
}

function linesOf(bytes: Uint8Array): Lines {
  const starts = [0];
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) starts.push(at + 1);
  if (starts[starts.length - 1] !== bytes.length) starts.push(bytes.length);
  return { bytes, starts };
}

/** The bytes of lines [from, to). */
function between({ bytes, starts }: Lines, from: number, to: number): Uint8Array {
  return bytes.subarray(starts[from], starts[to]);
}

/** Offset behind `piece` in `text` when it stands there at `at`, else -1. */
function matched(text: Uint8Array, at: number, piece: Uint8Array): number {
  if (at + piece.length > text.length) return -1;
  for (let index = 0; index < piece.length; index += 1) if (text[at + index] !== piece[index]) return -1;
  return at + piece.length;
}

/** Whether the hunks are an edit script from one text to the other: in order, and equal outside of them. */
function isScript(before: Lines, after: Lines, hunks: readonly Hunk[]): boolean {
  let old = 0;
  let now = 0;
  const beforeEnd = before.starts.length - 1;
  const afterEnd = after.starts.length - 1;
  const last: Hunk = { beforeStart: beforeEnd, beforeCount: 0, afterStart: afterEnd, afterCount: 0 };
  for (const hunk of [...hunks, last]) {
    const { beforeStart, beforeCount, afterStart, afterCount } = hunk;
    if (![beforeStart, beforeCount, afterStart, afterCount].every((value) => Number.isInteger(value) && value >= 0)) {
      return false;
    }
    if (beforeStart < old || beforeStart + beforeCount > beforeEnd || afterStart + afterCount > afterEnd) return false;
    if (beforeStart - old !== afterStart - now) return false;
    const kept = between(before, old, beforeStart);
    const same = between(after, now, afterStart);
    if (kept.length !== same.length || matched(kept, 0, same) < 0) return false;
    old = beforeStart + beforeCount;
    now = afterStart + afterCount;
  }
  return true;
}

/** Groups of hunks with at least one untouched line between them (VM2). */
function groupsOf(witness: MergeWitness): Group[] {
  const groups: Group[] = [];
  let ours = 0;
  let theirs = 0;
  while (ours < witness.ours.length || theirs < witness.theirs.length) {
    const our = witness.ours[ours];
    const their = witness.theirs[theirs];
    const isOurs = our !== undefined && (their === undefined || our.beforeStart <= their.beforeStart);
    const hunk = (isOurs ? our : their) as Hunk;
    const end = hunk.beforeStart + hunk.beforeCount;
    let group = groups[groups.length - 1];
    if (!group || hunk.beforeStart > group.end) {
      group = { start: hunk.beforeStart, end, ours: [], theirs: [] };
      groups.push(group);
    }
    group.end = Math.max(group.end, end);
    (isOurs ? group.ours : group.theirs).push(hunk);
    if (isOurs) ours += 1;
    else theirs += 1;
  }
  return groups;
}

/** What a side made of the lines that a group covers. */
function sideOf(side: Lines, group: Group, hunks: readonly Hunk[]): Uint8Array {
  const first = hunks[0] as Hunk;
  const last = hunks[hunks.length - 1] as Hunk;
  const from = first.afterStart - (first.beforeStart - group.start);
  const to = last.afterStart + last.afterCount + (group.end - last.beforeStart - last.beforeCount);
  return between(side, from, to);
}
