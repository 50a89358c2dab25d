// Proofs of merges: right ones pass, every lie is found.

import { utf8, utf8Text } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hunk } from './model.ts';
import { checkMerge } from './verify-merge.ts';

interface Edit {
  readonly start: number;
  readonly count: number;
  readonly lines: readonly string[];
}

/** Applies edits in ascending order that do not overlap, and answers text and hunks. */
function apply(base: readonly string[], edits: readonly Edit[]): { text: string; hunks: Hunk[] } {
  const lines: string[] = [];
  const hunks: Hunk[] = [];
  let at = 0;
  for (const { start, count, lines: added } of edits) {
    lines.push(...base.slice(at, start));
    hunks.push({ beforeStart: start, beforeCount: count, afterStart: lines.length, afterCount: added.length });
    lines.push(...added);
    at = start + count;
  }
  lines.push(...base.slice(at));
  return { text: lines.map((line) => `${line}\n`).join(''), hunks };
}

const base = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const baseText = base.map((line) => `${line}\n`).join('');

function check(ours: readonly Edit[], theirs: readonly Edit[], result: string): string | null {
  const our = apply(base, ours);
  const their = apply(base, theirs);
  const witness = { ours: our.hunks, theirs: their.hunks };
  return checkMerge(utf8(baseText), utf8(our.text), utf8(their.text), witness, utf8(result));
}

function merged(edits: readonly Edit[]): string {
  return apply(base, edits).text;
}

describe('checkMerge', () => {
  const second = { start: 1, count: 1, lines: ['TWO'] };
  const fifth = { start: 4, count: 1, lines: ['FIVE', 'AND A HALF'] };
  const third = { start: 2, count: 1, lines: ['THREE'] };

  it('[VM1] accepts the merge of changes apart, and the same change made by both', () => {
    expect(check([second], [fifth], merged([second, fifth]))).toBeNull();
    expect(check([fifth], [second], merged([second, fifth]))).toBeNull();
    expect(check([second], [second, fifth], merged([second, fifth]))).toBeNull();
    expect(check([], [fifth], merged([fifth]))).toBeNull();
    expect(check([], [], baseText)).toBeNull();
  });

  it('[VM2] refuses changes of adjacent lines, of the same lines, and insertions at one place', () => {
    expect(check([second], [third], merged([second, third]))).toContain('both sides');
    expect(check([second], [{ ...second, lines: ['zwei'] }], merged([second]))).toContain('both sides');
    const here = { start: 3, count: 0, lines: ['here'] };
    const there = { start: 3, count: 0, lines: ['there'] };
    expect(check([here], [there], merged([here]))).toContain('both sides');
    expect(check([here], [here], merged([here]))).toBeNull();
  });

  it('[VM1] refuses a result that lost one side, or has anything more', () => {
    expect(check([second], [fifth], merged([second]))).not.toBeNull();
    expect(check([second], [fifth], merged([fifth]))).not.toBeNull();
    expect(check([second], [fifth], `${merged([second, fifth])}more\n`)).toContain('more');
    expect(check([second], [fifth], merged([second, fifth]).slice(0, -1))).not.toBeNull();
    expect(check([second], [fifth], merged([second, fifth]).replace('seven', 'sEven'))).not.toBeNull();
  });

  it('[VM1] refuses a witness whose hunks do not make the sides', () => {
    const our = apply(base, [second]);
    const result = utf8(our.text);
    const lies: Hunk[][] = [
      [],
      [{ beforeStart: 2, beforeCount: 1, afterStart: 2, afterCount: 1 }],
      [{ beforeStart: 1, beforeCount: 2, afterStart: 1, afterCount: 1 }],
      [{ beforeStart: -1, beforeCount: 1, afterStart: 1, afterCount: 1 }],
      [{ beforeStart: 1, beforeCount: 100, afterStart: 1, afterCount: 100 }],
      [{ beforeStart: 0.5, beforeCount: 1, afterStart: 0.5, afterCount: 1 }],
      [...our.hunks, ...our.hunks],
    ];
    for (const hunks of lies) {
      const verdict = checkMerge(utf8(baseText), utf8(our.text), utf8(baseText), { ours: hunks, theirs: [] }, result);
      expect(verdict).not.toBeNull();
    }
  });

  it('counts a last line without its newline as a line of its own', () => {
    const witness = { ours: [{ beforeStart: 1, beforeCount: 1, afterStart: 1, afterCount: 1 }], theirs: [] };
    expect(checkMerge(utf8('a\nb'), utf8('a\nc'), utf8('a\nb'), witness, utf8('a\nc'))).toBeNull();
    expect(checkMerge(utf8('a\nb'), utf8('a\nc'), utf8('a\nb'), witness, utf8('a\nc\n'))).not.toBeNull();
  });

  it('[VM1] accepts nothing but the one right result, for random disjoint edits', () => {
    const editsOf = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 5 });
    const longBase = Array.from({ length: 20 }, (_, line) => `line ${line}`);
    const longText = longBase.map((line) => `${line}\n`).join('');
    fc.assert(
      fc.property(editsOf, editsOf, fc.integer(), (evens, others, flaw) => {
        // Even places are ours, and theirs only where we do nothing: each has a line between it and the next.
        const edit = (place: number, mark: string): Edit => ({
          start: place * 2,
          count: 1,
          lines: [`${mark}${place}`],
        });
        const sorted = [...evens].sort((left, right) => left - right);
        const free = others.filter((place) => !evens.includes(place)).sort((left, right) => left - right);
        const ours = sorted.map((place) => edit(place, 'our'));
        const theirs = free.map((place) => edit(place, 'their'));
        const both = [...ours, ...theirs].sort((left, right) => left.start - right.start);
        const [our, their] = [apply(longBase, ours), apply(longBase, theirs)];
        const witness = { ours: our.hunks, theirs: their.hunks };
        const result = utf8(apply(longBase, both).text);
        const verdict = (bytes: Uint8Array): string | null =>
          checkMerge(utf8(longText), utf8(our.text), utf8(their.text), witness, bytes);
        expect(verdict(result)).toBeNull();
        const flawed = result.slice();
        const at = Math.abs(flaw) % flawed.length;
        flawed[at] = (flawed[at] as number) ^ 1;
        expect(verdict(flawed), utf8Text(flawed)).not.toBeNull();
      }),
    );
  });
});
