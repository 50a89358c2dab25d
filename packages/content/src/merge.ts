// Three-way merge of texts, line by line, by the rule of git merge-file.
//
// Both sides are compared with the base. Changes of one side that touch no change of the other are taken; touching
// means that no unchanged line of the base lies between them. Where changes of both sides touch, they form one region:
// it is clean when both sides made the same text of it, and a conflict otherwise.
//
// Invariants:
//   MG1. Verdict and bytes equal those of git merge-file -p (2.39, default level), except that the trivial cases are
//        settled before looking at content, and so never are binary.
//   MG2. Each script of a clean merge's witness turns base into its side.
//   MG3. The two scripts of a witness together, with hunks that are in both taken once, do not touch each other and
//        turn base into the merged bytes. A region that both sides turned into the same text by different hunks is one
//        hunk in both scripts.
//   MG4. A conflict names the whole region in all three texts, which reaches from the first to the last touching change;
//        git's conflict markers may enclose less of it.

import { concatBytes, sameBytes } from '@firetrident/base';
import { diffNumbers, type Hunk } from './diff.ts';
import { isBinary, LineNumbering, lineBytes, type NumberedText } from './lines.ts';

/** The two edit scripts of a clean merge, each in lines of base and of its side (MG2, MG3). */
export type MergeWitness = { readonly ours: readonly Hunk[]; readonly theirs: readonly Hunk[] };

/** A region that the sides changed differently; lines count from 0 (MG4). */
export type MergeConflict = {
  readonly baseStart: number;
  readonly baseCount: number;
  readonly oursStart: number;
  readonly oursCount: number;
  readonly theirsStart: number;
  readonly theirsCount: number;
};

/** The merged bytes with their proof, or where the two sides conflict; `binary` contents are not merged as text. */
export type MergeResult =
  | { readonly kind: 'clean'; readonly bytes: Uint8Array; readonly witness: MergeWitness }
  | { readonly kind: 'conflict'; readonly conflicts: readonly MergeConflict[] }
  | { readonly kind: 'binary' };

/** A stretch of base with what each side made of it; a side's hunks are empty where it changed nothing. */
type Region = MergeConflict & { readonly ours: readonly Hunk[]; readonly theirs: readonly Hunk[] };

/** Merges the changes from `base` to `ours` and from `base` to `theirs` (MG1). */
export function mergeLines(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): MergeResult {
  const settled = trivialOutcome(base, ours, theirs);
  if (settled === null && (isBinary(base) || isBinary(ours) || isBinary(theirs))) return { kind: 'binary' };
  const numbering = new LineNumbering();
  const baseText = numbering.number(base);
  const oursText = numbering.number(ours);
  const theirsText = numbering.number(theirs);
  const regions = findRegions(
    diffNumbers(baseText.numbers, oursText.numbers, numbering.count),
    diffNumbers(baseText.numbers, theirsText.numbers, numbering.count),
  );
  const conflicts = regions.filter((region) => !isClean(region, oursText, theirsText));
  if (conflicts.length > 0) return { kind: 'conflict', conflicts: conflicts.map(conflictOf) };
  const witness = witnessOf(regions);
  return { kind: 'clean', bytes: settled ?? mergedBytes(regions, baseText, oursText, theirsText), witness };
}

/** The merged bytes when at most one side changed anything or both did the same; else null. */
function trivialOutcome(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array | null {
  if (sameBytes(ours, theirs) || sameBytes(base, theirs)) return ours;
  return sameBytes(base, ours) ? theirs : null;
}

/** Joins hunks that touch across the two scripts into regions, in the order of base. */
function findRegions(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const regions: Region[] = [];
  let oursNext = 0;
  let theirsNext = 0;
  let oursShift = 0;
  let theirsShift = 0;
  while (oursNext < ours.length || theirsNext < theirs.length) {
    const start = Math.min(startOf(ours[oursNext]), startOf(theirs[theirsNext]));
    const oursFirst = oursNext;
    const theirsFirst = theirsNext;
    let end = start;
    let oursGrowth = 0;
    let theirsGrowth = 0;
    for (;;) {
      const oursHunk = ours[oursNext];
      const theirsHunk = theirs[theirsNext];
      if (oursHunk !== undefined && oursHunk.beforeStart <= end) {
        end = Math.max(end, oursHunk.beforeStart + oursHunk.beforeCount);
        oursGrowth += oursHunk.afterCount - oursHunk.beforeCount;
        oursNext += 1;
      } else if (theirsHunk !== undefined && theirsHunk.beforeStart <= end) {
        end = Math.max(end, theirsHunk.beforeStart + theirsHunk.beforeCount);
        theirsGrowth += theirsHunk.afterCount - theirsHunk.beforeCount;
        theirsNext += 1;
      } else break;
    }
    regions.push({
      baseStart: start,
      baseCount: end - start,
      oursStart: start + oursShift,
      oursCount: end - start + oursGrowth,
      theirsStart: start + theirsShift,
      theirsCount: end - start + theirsGrowth,
      ours: ours.slice(oursFirst, oursNext),
      theirs: theirs.slice(theirsFirst, theirsNext),
    });
    oursShift += oursGrowth;
    theirsShift += theirsGrowth;
  }
  return regions;
}

function startOf(hunk: Hunk | undefined): number {
  return hunk === undefined ? Number.POSITIVE_INFINITY : hunk.beforeStart;
}

function isClean(region: Region, ours: NumberedText, theirs: NumberedText): boolean {
  if (region.ours.length === 0 || region.theirs.length === 0) return true;
  if (region.oursCount !== region.theirsCount) return false;
  for (let index = 0; index < region.oursCount; index += 1) {
    if (ours.numbers[region.oursStart + index] !== theirs.numbers[region.theirsStart + index]) return false;
  }
  return true;
}

function conflictOf(region: Region): MergeConflict {
  const { baseStart, baseCount, oursStart, oursCount, theirsStart, theirsCount } = region;
  return { baseStart, baseCount, oursStart, oursCount, theirsStart, theirsCount };
}

/** The scripts of clean regions, with one common hunk where both sides changed something (MG3). */
function witnessOf(regions: readonly Region[]): MergeWitness {
  const ours: Hunk[] = [];
  const theirs: Hunk[] = [];
  for (const region of regions) {
    if (region.theirs.length === 0) ours.push(...region.ours);
    else if (region.ours.length === 0) theirs.push(...region.theirs);
    else {
      const before = { beforeStart: region.baseStart, beforeCount: region.baseCount };
      ours.push({ ...before, afterStart: region.oursStart, afterCount: region.oursCount });
      theirs.push({ ...before, afterStart: region.theirsStart, afterCount: region.theirsCount });
    }
  }
  return { ours, theirs };
}

function mergedBytes(
  regions: readonly Region[],
  base: NumberedText,
  ours: NumberedText,
  theirs: NumberedText,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let line = 0;
  for (const region of regions) {
    parts.push(lineBytes(base, line, region.baseStart - line));
    if (region.ours.length > 0) parts.push(lineBytes(ours, region.oursStart, region.oursCount));
    else parts.push(lineBytes(theirs, region.theirsStart, region.theirsCount));
    line = region.baseStart + region.baseCount;
  }
  parts.push(lineBytes(base, line, base.numbers.length - line));
  return concatBytes(parts);
}
