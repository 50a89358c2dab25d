import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseTitle, textOverlap, textWords, wordOverlap } from './text.ts';

test.each([
  ['Add   tests for the Parser.', 'add tests for the parser'],
  ['  [core]: Fix `apply()` — now! ', 'core fix apply now'],
  ['Use C++, not C#', 'use c++ not c#'],
  ['Ｆｕｌｌ width ﬁle', 'full width file'],
  ['ÄRGER', 'ärger'],
  ['A\u0308rger', 'ärger'],
  ['İstanbul', normaliseTitle('i̇stanbul')],
  ['…!?', ''],
  ['', ''],
])('%j is normalised', (title, expected) => {
  expect(normaliseTitle(title)).toBe(expected);
});

test('[TX1] normalising twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (title) => {
      expect(normaliseTitle(normaliseTitle(title))).toBe(normaliseTitle(title));
    }),
  );
});

test.each([
  ['add tests', 'Tests: ADD!', 1],
  ['a b c', 'b c d', 0.5],
  ['a a a b', 'a b b', 1],
  ['a', 'b', 0],
  ['', '', 0],
  ['', 'a', 0],
])('the overlap of %j and %j is %d', (left, right, expected) => {
  expect(textOverlap(left, right)).toBe(expected);
});

test('[TX2] overlap is symmetric, bounded, and 1 against itself', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const overlap = textOverlap(left, right);
      expect(overlap).toBe(textOverlap(right, left));
      expect(overlap).toBe(wordOverlap(textWords(left), textWords(right)));
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(overlap).toBeLessThanOrEqual(1);
      expect(textOverlap(left, left)).toBe(textWords(left).size > 0 ? 1 : 0);
    }),
  );
});
