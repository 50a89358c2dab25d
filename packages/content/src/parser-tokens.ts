// The canonical text of a stretch of source code: its tokens, without comments and layout.
//
// It never knows a syntax tree. A parser says where comments and opaque tokens lie and where a statement ends without
// a semicolon; the rest of the text is words and punctuation, which this file splits as ECMAScript does.
//
// Invariants:
//   TK1. Two texts with the same tokens have the same canonical text, whatever comments, blanks and line breaks stand
//        between the tokens. A semicolon that a line break stands for is a token: "return\nx" is not "return x".
//   TK2. The canonical text can be split into its tokens again, so another token gives another text. Opaque tokens are
//        written as JSON strings; no other token contains a quote, a blank or a line break.
//   TK3. "<" and ">" always stand alone, since only a parser can tell "a >> b" from the end of "A<B<C>>".

import { assert } from '@firetrident/base';

/**
 * `comment` is left out. `opaque` is one token as it stands: a string, a number, a regular expression, a piece of a
 * template. `markup` is text between tags, whose line breaks and indentation mean nothing. `end` has no length: here a
 * statement or member ends without a semicolon, and reads as if it had one.
 */
export type SourceMarkKind = 'comment' | 'opaque' | 'markup' | 'end';

/** A part of the text that is not plain words and punctuation. Offsets are UTF-16 units; `end` is exclusive. */
export interface SourceMark {
  readonly kind: SourceMarkKind;
  readonly start: number;
  readonly end: number;
}

/** A part of the text, from `start` up to before `end`. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** One token in canonical spelling, and where it starts in the text. */
export interface SourceToken {
  readonly text: string;
  readonly start: number;
}

// Longest first. None begins with "<" or ">" (TK3). "?" before a number is no "?.", since the number is an opaque token
// and the plain text ends at the question mark.
const longPunctuation = '... === !== **= &&= ||= ??= => == != ++ -- ** && || ?? ?. += -= *= /= %= &= |= ^='.split(' ');

const punctuationByFirst = new Map<string, readonly string[]>();
for (const mark of longPunctuation) {
  const first = mark.charAt(0);
  punctuationByFirst.set(first, [...(punctuationByFirst.get(first) ?? []), mark]);
}

const blank = /\s/;

function isBlank(code: number, character: string): boolean {
  if (code <= 0x20) return true;
  return code >= 0x80 && blank.test(character);
}

function isWord(code: number, character: string): boolean {
  if (code >= 0x80) return !blank.test(character);
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  const isDigit = code >= 0x30 && code <= 0x39;
  return isLetter || isDigit || character === '_' || character === '$' || character === '\\';
}

function wordEnd(text: string, start: number, limit: number): number {
  let index = start;
  while (index < limit && isWord(text.charCodeAt(index), text.charAt(index))) {
    // An escaped letter may be written with braces, which belong to the word.
    const isBraced = text.startsWith('\\u{', index);
    const close = isBraced ? text.indexOf('}', index) : -1;
    index = close >= 0 && close < limit ? close + 1 : index + 1;
  }
  return index;
}

function punctuationEnd(text: string, start: number, limit: number): number {
  for (const mark of punctuationByFirst.get(text.charAt(start)) ?? []) {
    if (start + mark.length <= limit && text.startsWith(mark, start)) return start + mark.length;
  }
  return start + 1;
}

function scanPlain(text: string, start: number, limit: number, tokens: SourceToken[]): void {
  let index = start;
  while (index < limit) {
    const code = text.charCodeAt(index);
    const character = text.charAt(index);
    if (isBlank(code, character)) {
      index += 1;
      continue;
    }
    const end = isWord(code, character) ? wordEnd(text, index, limit) : punctuationEnd(text, index, limit);
    tokens.push({ text: text.slice(index, end), start: index });
    index = end;
  }
}

function isIndentation(character: string): boolean {
  return character === ' ' || character === '\t';
}

function trimmed(line: string, isFirst: boolean, isLast: boolean): string {
  let start = 0;
  let end = line.length;
  while (!isFirst && start < end && isIndentation(line.charAt(start))) start += 1;
  while (!isLast && end > start && isIndentation(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

/** Text between tags without what its rendering drops: line breaks with the blanks around them, and blank lines. */
function markupText(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length === 1) return text;
  return lines
    .map((line, index) => trimmed(line, index === 0, index === lines.length - 1))
    .filter((line) => line !== '')
    .join(' ');
}

function pushMark(text: string, mark: SourceMark, tokens: SourceToken[]): void {
  if (mark.kind === 'comment') return;
  if (mark.kind === 'end') {
    tokens.push({ text: ';', start: mark.start });
    return;
  }
  const raw = text.slice(mark.start, mark.end);
  const value = mark.kind === 'markup' ? markupText(raw) : raw.replaceAll('\r\n', '\n');
  if (value !== '') tokens.push({ text: JSON.stringify(value), start: mark.start });
}

/**
 * Splits `text` into tokens (TK1 to TK3). `marks` are in order of `start` and do not overlap; a mark inside another one
 * that began before it is ignored.
 */
export function scanTokens(text: string, marks: readonly SourceMark[]): readonly SourceToken[] {
  const tokens: SourceToken[] = [];
  let offset = 0;
  let previous = 0;
  for (const mark of marks) {
    assert(mark.start >= previous, 'marks are in order');
    previous = mark.start;
    if (mark.start < offset) continue;
    scanPlain(text, offset, mark.start, tokens);
    pushMark(text, mark, tokens);
    offset = mark.end;
  }
  scanPlain(text, offset, text.length, tokens);
  return tokens;
}

function contains(ranges: readonly SourceRange[], token: SourceToken): boolean {
  return ranges.some(({ start, end }) => token.start >= start && token.start < end);
}

/** Position of the first token that starts at or behind `offset`. */
function firstFrom(tokens: readonly SourceToken[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle] as SourceToken).start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Canonical text of the tokens that lie in any of the ranges `included` and in none of `omitted`. */
export function canonicalText(
  tokens: readonly SourceToken[],
  included: readonly SourceRange[],
  omitted: readonly SourceRange[] = [],
): string {
  if (included.length === 0) return '';
  const start = Math.min(...included.map((range) => range.start));
  const end = Math.max(...included.map((range) => range.end));
  const texts: string[] = [];
  for (let index = firstFrom(tokens, start); index < tokens.length; index += 1) {
    const token = tokens[index] as SourceToken;
    if (token.start >= end) break;
    if (contains(included, token) && !contains(omitted, token)) texts.push(token.text);
  }
  return texts.join(' ');
}
