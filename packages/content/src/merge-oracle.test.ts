// Edit scripts and merges against stock git, on texts made to be hard: few different lines, many repetitions, long
// files in which the search takes its short cuts, mixed line endings, missing final newlines, empty files.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RandomStream, sameBytes } from '@firetrident/base';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diffLines, type Hunk } from './diff.ts';
import { splitLines } from './lines.ts';
import { type MergeResult, type MergeWitness, mergeLines } from './merge.ts';

type Triple = { base: Uint8Array; ours: Uint8Array; theirs: Uint8Array };
type Shape = {
  /** At most so many lines, and at least so many. */
  lines: number;
  leastLines?: number;
  /** How many different lines texts draw from. */
  alphabet: number;
  /** At most so many block edits a side, and so many before that for both sides. */
  edits: number;
  sharedEdits: number;
  /** At most so many lines a block. */
  editLines: number;
  /** Chance that a side has nothing to do with base. */
  alien?: number;
  /** Chance that a line is changed on its own. */
  noise?: number;
  /** Chance that a line drawn is found in no other text. */
  unique?: number;
};

const shapes: readonly Shape[] = [
  { lines: 6, alphabet: 2, edits: 2, editLines: 2, sharedEdits: 1, alien: 0.2 },
  { lines: 12, alphabet: 4, edits: 3, editLines: 3, sharedEdits: 2, alien: 0.1 },
  { lines: 30, alphabet: 3, edits: 1, editLines: 2, sharedEdits: 4 },
  { lines: 60, alphabet: 3, edits: 4, editLines: 8, sharedEdits: 3, alien: 0.1 },
  { lines: 80, alphabet: 30, edits: 5, editLines: 4, sharedEdits: 2 },
  { lines: 300, alphabet: 300, edits: 3, editLines: 6, sharedEdits: 3 },
  { lines: 400, alphabet: 8, edits: 12, editLines: 40, sharedEdits: 3, alien: 0.1 },
  { lines: 700, alphabet: 400, edits: 20, editLines: 20, sharedEdits: 3 },
  { lines: 900, alphabet: 3, edits: 40, editLines: 60, sharedEdits: 2, alien: 0.3 },
  { lines: 1500, alphabet: 40, edits: 80, editLines: 60, sharedEdits: 5, alien: 0.3 },
  // Frequent lines among lines without an equal: they are left out of the search, or only just not.
  { lines: 1000, alphabet: 4, edits: 8, editLines: 300, sharedEdits: 1, unique: 0.74 },
  { lines: 1000, alphabet: 4, edits: 8, editLines: 300, sharedEdits: 1, unique: 0.8 },
  // Very many small edits: the search is cut off for its cost.
  { lines: 4000, alphabet: 12, edits: 10, editLines: 300, sharedEdits: 1, noise: 0.08 },
];

/** So long that the search may settle for a good match before it is cut off, which takes 65,536 lines in all. */
const longShapes: readonly Shape[] = [
  { lines: 50_000, leastLines: 36_000, alphabet: 40, edits: 8, editLines: 3000, sharedEdits: 1, noise: 0.05 },
  { lines: 50_000, leastLines: 36_000, alphabet: 9000, edits: 12, editLines: 4000, sharedEdits: 1, noise: 0.02 },
];

/** Draws lines for one text; `owner` names it in lines that no other text has. */
class LineSource {
  readonly #random: RandomStream;
  readonly #shape: Shape;
  readonly #owner: string;

  constructor(random: RandomStream, shape: Shape, owner: string) {
    this.#random = random;
    this.#shape = shape;
    this.#owner = owner;
  }

  line(): string {
    if (this.#random.next() < (this.#shape.unique ?? 0)) return `${this.#owner} ${this.#random.below(1_000_000)}`;
    const index = this.#random.below(this.#shape.alphabet);
    return ['', '}', 'x', ' ', '\té', 'x x'][index] ?? `line ${index}`;
  }

  lines(count: number): string[] {
    return Array.from({ length: count }, () => this.line());
  }

  /** `lines` after up to `limit` block edits, and after changes of single lines when the shape has any. */
  edited(lines: readonly string[], limit: number, noise: number): string[] {
    let result = [...lines];
    for (let left = this.#random.below(limit + 1); left > 0; left -= 1) result = this.#blockEdited(result);
    if (noise === 0) return result;
    return result.flatMap((line) => {
      if (this.#random.next() >= noise) return [line];
      return this.lines(this.#random.below(3));
    });
  }

  #blockEdited(lines: readonly string[]): string[] {
    const at = this.#random.below(lines.length + 1);
    const elsewhere = this.#random.below(lines.length + 1);
    const count = 1 + this.#random.below(this.#shape.editLines);
    const fresh = this.lines(1 + this.#random.below(this.#shape.editLines));
    const block = lines.slice(at, at + count);
    switch (this.#random.below(5)) {
      case 0:
        return lines.toSpliced(at, 0, ...fresh);
      case 1:
        return lines.toSpliced(at, count);
      case 2:
        return lines.toSpliced(at, count, ...fresh);
      case 3:
        return lines.toSpliced(elsewhere, 0, ...block);
      default:
        return lines.toSpliced(at, count).toSpliced(elsewhere, 0, ...block);
    }
  }
}

function textOf(random: RandomStream, lines: readonly string[], endings: number): Uint8Array {
  let text = lines.map((line, index) => `${line}${endings === 1 || (endings === 2 && index % 3 === 0) ? '\r' : ''}\n`);
  if (random.below(4) === 0 && text.length > 0) text = text.with(-1, (text.at(-1) as string).slice(0, -1));
  return Uint8Array.from(text.join(''), (character) => character.charCodeAt(0));
}

function drawTriple(shape: Shape, seed: number): Triple {
  const random = new RandomStream(seed);
  const baseSource = new LineSource(random, shape, 'base');
  const least = shape.leastLines ?? 0;
  const base = baseSource.lines(least + random.below(shape.lines - least + 1));
  const shared = baseSource.edited(base, random.below(2) * shape.sharedEdits, 0);
  const endings = random.below(3);
  const side = (owner: string) => {
    const source = new LineSource(random, shape, owner);
    if (random.next() < (shape.alien ?? 0)) return source.lines(random.below(shape.lines + 1));
    return source.edited(shared, shape.edits, shape.noise ?? 0);
  };
  return {
    base: textOf(random, base, endings),
    ours: textOf(random, side('ours'), endings),
    theirs: textOf(random, side('theirs'), endings),
  };
}

const drawTriples = (from: readonly Shape[]) =>
  fc
    .tuple(fc.constantFrom(...from), fc.integer({ min: 0, max: 0x7fffffff }))
    .map(([shape, seed]) => drawTriple(shape, seed));

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'merge-oracle-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function writeTriples(batch: readonly Triple[]): void {
  for (const side of ['base', 'ours', 'theirs'] as const) {
    rmSync(join(scratch, side), { recursive: true, force: true });
    mkdirSync(join(scratch, side));
    batch.forEach((triple, index) => {
      writeFileSync(join(scratch, side, String(index)), triple[side]);
    });
  }
}

const environment = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };

/** What git merge-file says of each triple: the merged bytes, or null for a conflict. One shell for the whole batch. */
function gitMerges(batch: readonly Triple[]): (Uint8Array | null)[] {
  const script = `i=0; while [ $i -lt ${batch.length} ]; do
    git merge-file -p ours/$i base/$i theirs/$i >merged.$i 2>/dev/null; echo $?; i=$((i+1)); done`;
  const codes = execFileSync('sh', ['-c', script], { cwd: scratch, env: environment, encoding: 'utf8' });
  return codes
    .trim()
    .split('\n')
    .map((code, index) => {
      expect(Number(code)).toBeLessThan(128);
      return code === '0' ? new Uint8Array(readFileSync(join(scratch, `merged.${index}`))) : null;
    });
}

/**
 * git's scripts from base to each side, by index. A line of context is asked for, because without any git first cuts off
 * a common tail, which git merge-file does not; the script is then read off the lines' marks.
 */
function gitScripts(side: 'ours' | 'theirs'): Map<string, Hunk[]> {
  const options = ['-c', 'core.quotePath=false', 'diff', '--no-index', '-U1', '--text', '--no-color'];
  const algorithm = ['--diff-algorithm=myers', '--no-indent-heuristic', '--no-prefix', 'base', side];
  const shell = `git ${[...options, ...algorithm].join(' ')}; test $? -le 1`;
  const limits = { cwd: scratch, env: environment, encoding: 'latin1', maxBuffer: 1 << 28 } as const;
  const scripts = new Map<string, Hunk[]>();
  for (const part of execFileSync('sh', ['-c', shell], limits)
    .split(/^diff --git /m)
    .slice(1)) {
    const name = (/^base\/(\d+) /.exec(part) as RegExpExecArray)[1] as string;
    scripts.set(name, readScript(part.split('\n')));
  }
  return scripts;
}

function readScript(lines: readonly string[]): Hunk[] {
  const script: Hunk[] = [];
  let before = -1;
  let after = -1;
  let open: { beforeStart: number; beforeCount: number; afterStart: number; afterCount: number } | null = null;
  for (const line of lines) {
    const header = /^@@ -(\d+)(,0)?(?:,\d+)? \+(\d+)(,0)?(?:,\d+)? @@/.exec(line);
    if (header !== null) {
      before = Number(header[1]) - (header[2] === undefined ? 1 : 0);
      after = Number(header[3]) - (header[4] === undefined ? 1 : 0);
      open = null;
    } else if (before >= 0 && (line[0] === '-' || line[0] === '+')) {
      if (open === null) {
        open = { beforeStart: before, beforeCount: 0, afterStart: after, afterCount: 0 };
        script.push(open);
      }
      if (line[0] === '-') open.beforeCount += 1;
      else open.afterCount += 1;
      if (line[0] === '-') before += 1;
      else after += 1;
    } else if (before >= 0 && line[0] === ' ') {
      before += 1;
      after += 1;
      open = null;
    }
  }
  return script;
}

/** Applies hunks to base by plain replacement; null when they overlap, touch or are out of order. */
function apply(base: Uint8Array, hunks: readonly { hunk: Hunk; from: Uint8Array }[]): Uint8Array | null {
  const lines = splitLines(base);
  const result: Uint8Array[] = [];
  let line = 0;
  for (const [index, { hunk, from }] of hunks.entries()) {
    if (hunk.beforeStart < line || (index > 0 && hunk.beforeStart === line)) return null;
    result.push(...lines.slice(line, hunk.beforeStart));
    result.push(...splitLines(from).slice(hunk.afterStart, hunk.afterStart + hunk.afterCount));
    line = hunk.beforeStart + hunk.beforeCount;
  }
  return new Uint8Array(Buffer.concat([...result, ...lines.slice(line)]));
}

/** Checks a witness without any of the merge's own code: MG2 and MG3. */
function witnessHolds({ base, ours, theirs }: Triple, merged: Uint8Array, witness: MergeWitness): boolean {
  const fromOurs = witness.ours.map((hunk) => ({ hunk, from: ours }));
  const fromTheirs = witness.theirs.map((hunk) => ({ hunk, from: theirs }));
  const textFor = ({ hunk, from }: { hunk: Hunk; from: Uint8Array }) =>
    Buffer.concat(splitLines(from).slice(hunk.afterStart, hunk.afterStart + hunk.afterCount));
  const onlyTheirs = fromTheirs.filter(
    (theirs) =>
      !fromOurs.some(
        (ours) =>
          ours.hunk.beforeStart === theirs.hunk.beforeStart &&
          ours.hunk.beforeCount === theirs.hunk.beforeCount &&
          textFor(ours).equals(textFor(theirs)),
      ),
  );
  const union = [...fromOurs, ...onlyTheirs].sort((left, right) => left.hunk.beforeStart - right.hunk.beforeStart);
  const sides = [apply(base, fromOurs), apply(base, fromTheirs), apply(base, union)];
  return [ours, theirs, merged].every((expected, index) => {
    const got = sides[index];
    return got !== null && got !== undefined && sameBytes(expected, got);
  });
}

function holds(triple: Triple, result: MergeResult, expected: Uint8Array | null): boolean {
  switch (result.kind) {
    case 'binary':
      return false;
    case 'conflict':
      return expected === null && result.conflicts.length > 0;
    case 'clean':
      return expected !== null && sameBytes(result.bytes, expected) && witnessHolds(triple, expected, result.witness);
  }
}

/** Compares a batch with git; returns how many merges were clean. */
function compareWithGit(batch: readonly Triple[]): number {
  writeTriples(batch);
  const merges = gitMerges(batch);
  const scripts = { ours: gitScripts('ours'), theirs: gitScripts('theirs') };
  for (const [index, triple] of batch.entries()) {
    for (const side of ['ours', 'theirs'] as const) {
      const expected = scripts[side].get(String(index)) ?? [];
      // As text: a deep comparison of thousands of hunks would take longer than all else here.
      expect(JSON.stringify(diffLines(triple.base, triple[side])) === JSON.stringify(expected)).toBe(true);
    }
    const result = mergeLines(triple.base, triple.ours, triple.theirs);
    expect(holds(triple, result, merges[index] as Uint8Array | null)).toBe(true);
  }
  return merges.filter((merged) => merged !== null).length;
}

function batchesOf(count: number, from: readonly Shape[]): fc.Arbitrary<Triple[]> {
  return fc.array(drawTriples(from), { minLength: count, maxLength: count });
}

test('[DF3] [MG1] [MG2] [MG3] scripts, verdicts, merged bytes and witnesses agree with git', () => {
  const batches = 5;
  const batchCases = 30;
  let clean = 0;
  const property = fc.property(batchesOf(batchCases, shapes), (batch) => {
    clean += compareWithGit(batch);
  });
  fc.assert(property, { numRuns: batches, endOnFailure: true });
  // The generator is worth something only while both verdicts come up often.
  expect(clean).toBeGreaterThan((batches * batchCases) / 10);
  expect(clean).toBeLessThan((batches * batchCases * 9) / 10);
});

test('[DF3] scripts of very long texts, where the search takes short cuts, agree with git', () => {
  const property = fc.property(batchesOf(2, longShapes), (batch) => {
    compareWithGit(batch);
  });
  fc.assert(property, { numRuns: 1 });
});
