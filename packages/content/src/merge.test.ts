import { assert, utf8, utf8Text } from '@firetrident/base';
import { describe, expect, test } from 'vitest';
import { diffLines } from './diff.ts';
import { type MergeResult, mergeLines } from './merge.ts';

const merge = (base: string, ours: string, theirs: string): MergeResult =>
  mergeLines(utf8(base), utf8(ours), utf8(theirs));

function mergedText(result: MergeResult): string {
  assert(result.kind === 'clean', `clean, not ${result.kind}`);
  return utf8Text(result.bytes);
}

describe('[MG1] the rule of git merge-file', () => {
  test('changes apart from each other are both taken', () => {
    expect(mergedText(merge('1\n2\n3\n', 'one\n2\n3\n', '1\n2\nthree\n'))).toBe('one\n2\nthree\n');
  });

  test('adjacent changes conflict', () => {
    expect(merge('1\n2\n', 'one\n2\n', '1\ntwo\n').kind).toBe('conflict');
    expect(merge('1\n2\n', '1\nours\n2\n', '1\ntwo\n').kind).toBe('conflict');
  });

  test('the same change on both sides is taken once', () => {
    expect(mergedText(merge('1\n2\n3\n4\n', 'one\n2\n3\n4\n', 'one\n2\n3\nfour\n'))).toBe('one\n2\n3\nfour\n');
  });

  test('two insertions at one place conflict, unless they are equal', () => {
    expect(merge('1\n2\n', '1\na\n2\n', '1\nb\n2\n').kind).toBe('conflict');
    expect(mergedText(merge('1\n2\n', '1\na\n2\n', '1\na\n2\n'))).toBe('1\na\n2\n');
  });

  test('a newline added at the end is a change of the last line', () => {
    expect(mergedText(merge('1\n2\n3', 'one\n2\n3', '1\n2\n3\n'))).toBe('one\n2\n3\n');
    expect(merge('1\n2\n3', '1\n2\n3\n', '1\n2\nthree').kind).toBe('conflict');
  });

  test('CRLF is untouched', () => {
    expect(mergedText(merge('1\r\n2\r\n3\n', 'one\r\n2\r\n3\n', '1\r\n2\r\nthree\n'))).toBe('one\r\n2\r\nthree\n');
  });

  test('a NUL on any side is binary, except in a trivial merge', () => {
    expect(merge('1\0', '2', '3').kind).toBe('binary');
    expect(merge('1', '2\0', '3').kind).toBe('binary');
    expect(merge('1', '2', '3\0').kind).toBe('binary');
    expect(mergedText(merge('1', '1', '3\0'))).toBe('3\0');
    expect(mergedText(merge('1\0', '3\0', '1\0'))).toBe('3\0');
    expect(mergedText(merge('1', '3\0', '3\0'))).toBe('3\0');
  });
});

test('[MG2] the witness of a plain merge is the two edit scripts', () => {
  const [base, ours, theirs] = ['1\n2\n3\n4\n', '1\n2\nthree\n4\n', '0\n1\n2\n3\n4\n'].map(utf8);
  assert(base !== undefined && ours !== undefined && theirs !== undefined, 'three texts');
  const result = mergeLines(base, ours, theirs);
  assert(result.kind === 'clean', 'clean');
  expect(result.witness).toEqual({ ours: diffLines(base, ours), theirs: diffLines(base, theirs) });
});

test('[MG3] a region that both sides made equal by different hunks is one hunk in both scripts', () => {
  const base = utf8('a\nc\nc\n');
  const ours = utf8('d\na\na\nc\n');
  const theirs = utf8('a\nc\n');
  // One side lost the first c, the other the second.
  expect(diffLines(base, ours)[1]).toMatchObject({ beforeStart: 1, beforeCount: 1, afterCount: 0 });
  expect(diffLines(base, theirs)[0]).toMatchObject({ beforeStart: 2, beforeCount: 1, afterCount: 0 });
  const result = mergeLines(base, ours, theirs);
  assert(result.kind === 'clean', 'clean');
  expect(utf8Text(result.bytes)).toBe('d\na\na\nc\n');
  expect(result.witness).toEqual({
    ours: [
      { beforeStart: 0, beforeCount: 0, afterStart: 0, afterCount: 2 },
      { beforeStart: 1, beforeCount: 2, afterStart: 3, afterCount: 1 },
    ],
    theirs: [{ beforeStart: 1, beforeCount: 2, afterStart: 1, afterCount: 1 }],
  });
});

test('[MG4] a conflict names its whole region in all three texts', () => {
  const result = merge('a\n1\n2\n3\n4\nz\n', 'new\na\n1\ntwo\nthree\n4\nz\n', 'a\n1\n2\nTHREE\nFOUR\nFIVE\nz\n');
  expect(result).toEqual({
    kind: 'conflict',
    conflicts: [{ baseStart: 2, baseCount: 3, oursStart: 3, oursCount: 3, theirsStart: 2, theirsCount: 4 }],
  });
});
