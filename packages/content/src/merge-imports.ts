// Import lines as a set: what both sides import is imported, whatever the order in which they wrote it down.
//
// All other lines are merged as git would merge them. Statements over several lines, and imports for their effects,
// are such other lines.
//
// Invariants:
//   MI1. An import line is known by its key, and its names are a set: each is there when a three-way merge of "it is
//        there" says so. No key and no bound name is there twice.
//   MI2. Without the lines whose statement differs between the three texts, the result is the three-way merge of the
//        others, proven by its witness.
//   MI3. An import line stands where the side that has it put it, among the other lines; at one place those of ours come
//        first, or all go by the alphabet when those of ours did.

import { type TreePath, utf8, utf8Text } from '@firetrident/base';
import type { Hunk } from './diff.ts';
import { type ImportLine, type ImportReader, importReader } from './import-lines.ts';
import { type MergeWitness, mergeLines } from './merge.ts';

interface Parsed {
  readonly lines: readonly string[];
  readonly imports: ReadonlyMap<string, ImportLine>;
}

/** Lines of a text that take part in the set, by the number of other lines before them. */
interface Split {
  readonly rest: string;
  readonly gaps: readonly { readonly gap: number; readonly key: string; readonly line: string }[];
}

/** The merged text; null when something other than import lines conflicts (MI1, MI2). */
export function mergeImports(
  path: TreePath,
  base: string,
  ours: string,
  theirs: string,
): { readonly text: string; readonly rest: MergeWitness } | null {
  const read = importReader(path);
  const [before, our, their] = [base, ours, theirs].map((text) => (read === null ? null : parse(text, read)));
  if (!before || !our || !their) return null;
  const moved = movedKeys(before, our, their);
  if (moved.size === 0) return null;
  const [baseSplit, ourSplit, theirSplit] = [before, our, their].map((side) =>
    split(side, moved, read as ImportReader),
  );
  if (!baseSplit || !ourSplit || !theirSplit) return null;
  const rest = mergeLines(utf8(baseSplit.rest), utf8(ourSplit.rest), utf8(theirSplit.rest));
  if (rest.kind !== 'clean') return null;
  const merged = new Map([...moved].map((key) => [key, mergedLine(before, our, their, key)]));
  const placed = placements(ourSplit, theirSplit, rest.witness, merged);
  const restText = utf8Text(rest.bytes);
  if (!standBesideTheirs(restText, placed, [ourSplit, theirSplit], read as ImportReader)) return null;
  const text = interleave(restText, placed);
  const result = parse(text, read as ImportReader);
  if (result === null || hasDoubleNames(result) || !isFutureFirst(result, read as ImportReader)) return null;
  return { text, rest: rest.witness };
}

/** Null when a text imports the same statement twice. */
function parse(text: string, read: ImportReader): Parsed | null {
  const lines = linesOf(text);
  const imports = new Map<string, ImportLine>();
  for (const line of lines) {
    const found = read(line);
    if (found === null) continue;
    if (imports.has(found.key)) return null;
    imports.set(found.key, found);
  }
  return { lines, imports };
}

function hasDoubleNames({ imports }: Parsed): boolean {
  const names = [...imports.values()].flatMap(({ binds }) => binds);
  return new Set(names).size < names.length;
}

/** Whether no import stands before what Python wants to see before all others. */
function isFutureFirst({ lines }: Parsed, read: ImportReader): boolean {
  const last = lines.findLastIndex((line) => /^from +__future__ /.test(line));
  return !lines.slice(0, Math.max(0, last)).some((line) => read(line) !== null);
}

/** Keys of statements that are not the same in all three. */
function movedKeys(...sides: readonly Parsed[]): Set<string> {
  const moved = new Set<string>();
  for (const { imports } of sides) {
    for (const [key, { names }] of imports) {
      const same = sides.every(
        (side) => side.imports.has(key) && sameSet(side.imports.get(key)?.names ?? [], names ?? []),
      );
      if (!same) moved.add(key);
    }
  }
  return moved;
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name) => right.includes(name));
}

function split({ lines }: Parsed, moved: ReadonlySet<string>, read: ImportReader): Split {
  const rest: string[] = [];
  const gaps: { gap: number; key: string; line: string }[] = [];
  for (const line of lines) {
    const key = read(line)?.key;
    if (key !== undefined && moved.has(key)) gaps.push({ gap: rest.length, key, line });
    else rest.push(line);
  }
  return { rest: rest.join(''), gaps };
}

/** The line that a statement comes to; null when it is gone (MI1). */
function mergedLine(base: Parsed, ours: Parsed, theirs: Parsed, key: string): string | null {
  const [before, our, their] = [base, ours, theirs].map(({ imports }) => imports.get(key));
  const present = our ?? their;
  if (present === undefined) return null;
  if (present.names === null) return isKept(before !== undefined, our !== undefined, their !== undefined) ? '' : null;
  const [had, has, gets] = [before, our, their].map((line) => new Set(line?.names ?? []));
  const names = [...new Set([...(our?.names ?? []), ...(their?.names ?? [])])].filter((name) =>
    isKept(had?.has(name) === true, has?.has(name) === true, gets?.has(name) === true),
  );
  if (names.length === 0) return null;
  const side = [our, their].find((line) => sameSet(line?.names ?? [], names));
  if (side !== undefined) return side.withNames(side.names ?? []);
  return present.withNames(isAscending(present.names) ? names.sort() : names);
}

/** The three-way merge of "it is there". */
function isKept(before: boolean, ours: boolean, theirs: boolean): boolean {
  return ours === theirs || theirs === before ? ours : theirs;
}

function isAscending(texts: readonly string[]): boolean {
  return texts.every((text, index) => index === 0 || (texts[index - 1] as string) < text);
}

/** Merged lines by the number of lines of the merged rest before them (MI3). */
function placements(
  ours: Split,
  theirs: Split,
  witness: MergeWitness,
  merged: ReadonlyMap<string, string | null>,
): ReadonlyMap<number, readonly string[]> {
  const placed = new Map<number, string[]>();
  const done = new Set<string>();
  const put = (side: Split, own: readonly Hunk[], other: readonly Hunk[], mayMix: boolean) => {
    for (const { gap, key, line } of side.gaps) {
      const text = merged.get(key);
      if (text === null || text === undefined || done.has(key)) continue;
      done.add(key);
      const at = mergedGap(gap, own, other);
      const lines = placed.get(at) ?? [];
      const ended = (text === '' ? line : text).replace(/(?<!\n)$/, '\n');
      if (mayMix && lines.length > 1 && isAscending(lines)) {
        const next = lines.findIndex((each) => each > ended);
        lines.splice(next < 0 ? lines.length : next, 0, ended);
      } else lines.push(ended);
      placed.set(at, lines);
    }
  };
  put(ours, witness.ours, witness.theirs, false);
  put(theirs, witness.theirs, witness.ours, true);
  return placed;
}

/** Where a place between the lines of one side lies in the merge, by the scripts from base to either side. */
function mergedGap(gap: number, own: readonly Hunk[], other: readonly Hunk[]): number {
  let base = gap;
  for (const { beforeStart, beforeCount, afterStart, afterCount } of own) {
    if (afterStart >= gap) break;
    // Inside of what this side made itself, nothing of the other lies.
    base = afterStart + afterCount <= gap ? base - afterCount + beforeCount : beforeStart;
    if (afterStart + afterCount > gap) break;
  }
  let merged = gap;
  for (const hunk of other) {
    const isCommon = own.some((each) => each.beforeStart === hunk.beforeStart && each.beforeCount === hunk.beforeCount);
    if (hunk.beforeStart >= base || isCommon) continue;
    const covered = Math.min(base, hunk.beforeStart + hunk.beforeCount) - hunk.beforeStart;
    merged += covered < hunk.beforeCount ? -covered : hunk.afterCount - hunk.beforeCount;
  }
  return merged;
}

/**
 * Whether each import line has a neighbour among the other lines that it has in one of the sides too: where everything
 * around a place was rewritten, nobody can tell where it went (MI3).
 */
function standBesideTheirs(
  rest: string,
  placed: ReadonlyMap<number, readonly string[]>,
  sides: readonly Split[],
  read: ImportReader,
): boolean {
  const neighbours = (lines: readonly string[], gap: number) => [
    `after ${lines[gap - 1]?.trimEnd() ?? 'the beginning'}`,
    `before ${lines[gap]?.trimEnd() ?? 'the end'}`,
  ];
  const known = new Map<string, Set<string>>();
  for (const side of sides) {
    const lines = linesOf(side.rest);
    for (const { gap, key } of side.gaps) {
      known.set(key, new Set([...(known.get(key) ?? []), ...neighbours(lines, gap)]));
    }
  }
  const lines = linesOf(rest);
  return [...placed].every(([gap, added]) =>
    added.every((line) => neighbours(lines, gap).some((each) => known.get(read(line)?.key ?? '')?.has(each))),
  );
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function interleave(rest: string, placed: ReadonlyMap<number, readonly string[]>): string {
  const lines = linesOf(rest);
  let text = '';
  for (let gap = 0; gap <= lines.length; gap += 1) {
    const added = placed.get(gap) ?? [];
    if (added.length > 0 && text !== '' && !text.endsWith('\n')) text += '\n';
    text += added.join('') + (lines[gap] ?? '');
  }
  return text;
}
