import { expect, test } from 'vitest';
import { countOf, oneLine, printable } from './plain-text.ts';

test('never passes on what could steer a terminal', () => {
  expect(printable('a\tb\n\x1b]0;x\x07')).toBe('a\tb\n ]0;x ');
});

test('keeps a line within its length', () => {
  expect(oneLine('  many \n\n words  ', 20)).toBe('many words');
  expect(oneLine('abcdef', 4)).toBe('abc…');
});

test('counts with the noun', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'file'))).toEqual(['0 files', '1 file', '2 files']);
});
