// The lines of commit messages that name an intent.

import { expect, test } from 'vitest';
import { namedIntent, withoutTrailer } from './push-work.ts';
import type { PushedCommit } from './pushed-change.ts';

function commit(body: string): PushedCommit {
  return {
    oid: 'a'.repeat(40),
    parents: [],
    author: { name: 'Ada', email: 'ada@example.invalid' },
    subject: 'S',
    body,
  };
}

test('an intent is named by a line of its own, with blanks and either line end', () => {
  expect(namedIntent([commit('Text.\n\n \tft-intent:\tint_a \r\nMore.')])).toEqual({ ok: true, value: 'int_a' });
  expect(namedIntent([commit('FT-Intent:\nint_a'), commit('see FT-Intent: int_b')])).toEqual({ ok: true, value: null });
  expect(withoutTrailer('Text.\n\nFT-Intent: int_a\n')).toBe('Text.');
});

test('a message of empty lines takes no time that grows with their square', () => {
  // With the square, this many take hours; the test would end by its time limit.
  const body = `Text.${'\n'.repeat(2_000_000)}end ${' '.repeat(2_000_000)}FT-Intent: int_a`;
  expect(namedIntent([commit(body)])).toEqual({ ok: true, value: null });
  expect(withoutTrailer(body)).toBe(body);
});
