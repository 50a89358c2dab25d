import { utf8 } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitLines } from './lines.ts';
import { mapLines } from './lines-map.ts';

const before = utf8('1\n2\n3\n4\n5\n6\n');
const changed = { kind: 'changed' };
const same = (from: number, to: number) => ({ kind: 'same', from, to });
const map = (after: string, from: number, to: number) => mapLines(before, utf8(after), from, to);

describe('a range of lines', () => {
  test('stays where it is in an equal text', () => {
    expect(map('1\n2\n3\n4\n5\n6\n', 2, 4)).toEqual(same(2, 4));
  });

  test('is shifted by what comes and goes above it', () => {
    expect(map('0\n0\n1\n2\n3\n4\n5\n6\n', 2, 4)).toEqual(same(4, 6));
    expect(map('2\n3\n4\n5\n6\n', 2, 4)).toEqual(same(1, 3));
    expect(map('one\nand\n2\n3\n4\n5\n6\n', 2, 4)).toEqual(same(3, 5));
  });

  test('does not see what happens below it', () => {
    expect(map('1\n2\n3\n4\nfive\n', 2, 4)).toEqual(same(2, 4));
  });

  test('is only shifted by what comes right before or after it', () => {
    expect(map('1\nnew\n2\n3\n4\n5\n6\n', 2, 4)).toEqual(same(3, 5));
    expect(map('1\n2\n3\n4\nnew\n5\n6\n', 2, 4)).toEqual(same(2, 4));
  });

  test('is changed by a line between two of its lines', () => {
    expect(map('1\n2\nnew\n3\n4\n5\n6\n', 2, 4)).toEqual(changed);
    expect(map('1\n2\n3\nnew\n4\n5\n6\n', 2, 4)).toEqual(changed);
  });

  test('is changed when one of its lines was changed or removed', () => {
    expect(map('1\n2\n3\nfour\n5\n6\n', 2, 4)).toEqual(changed);
    expect(map('1\n3\n4\n5\n6\n', 2, 4)).toEqual(changed);
    expect(map('', 2, 4)).toEqual(changed);
  });

  test('beyond the end is changed by what is appended, and by nothing else', () => {
    expect(map('1\n2\n3\n4\n5\n6\n7\n', 5, 9)).toEqual(changed);
    expect(map('1\n2\n3\n4\n5\n6\n7\n', 8, 9)).toEqual(changed);
    expect(map('0\n1\n2\n3\n4\n5\n6\n', 5, 9)).toEqual(same(6, 10));
    expect(mapLines(utf8(''), utf8('1\n'), 1, 1)).toEqual(changed);
  });

  test('with the last line sees its newline come and go', () => {
    expect(map('1\n2\n3\n4\n5\n6', 6, 6)).toEqual(changed);
  });

  test('must be a range', () => {
    expect(() => map('', 0, 1)).toThrow('range');
    expect(() => map('', 3, 2)).toThrow('range');
  });
});

test('lines that are said to be the same have the same bytes at the place named', () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, fc.nat(11), fc.nat(11), (old, later, first, length) => {
      const from = Math.min(first + 1, old.length);
      const to = Math.min(from + length, old.length);
      const mapped = mapLines(utf8(old.join('')), utf8(later.join('')), from, to);
      if (mapped.kind === 'changed') return;
      const found = splitLines(utf8(later.join(''))).slice(mapped.from - 1, mapped.to);
      expect(found).toEqual(old.slice(from - 1, to).map((line) => utf8(line)));
    }),
    { numRuns: 1000 },
  );
});
