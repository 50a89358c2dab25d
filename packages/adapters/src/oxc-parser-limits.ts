// What text the parser takes on.
//
// A native parser that recurses ends the whole process when its stack is used up, and one that tries and goes back takes
// time with the square of how deep a text nests. Neither can be interrupted from outside, so both are bounded beforehand,
// without knowing the language: a text cannot nest deeper than it has characters, nor open more than it has brackets.
//
// Invariants:
//   OL1. A text within the limits cannot use up a stack of `parserStackMiB`. Measured for oxc-parser 0.159: at most 1,410
//        bytes of stack for each opening bracket and 640 for any other character; `stackBytesPerCharacter` leaves room.
//   OL2. A text within the limits is parsed within seconds, however hostile. Measured likewise: 8,000 times "(a=" take
//        more than ten seconds, and a quarter of the time for half as many.

/** Stack of the thread that parses. It is reserved, and only used as far as a text nests. */
export const parserStackMiB = 512;

/** Stack that one character of a text may cost at the most, with room to spare (OL1). */
const stackBytesPerCharacter = 4096;

/** Longest text, in UTF-16 units. */
export const parserLengthLimit = (parserStackMiB * 1024 * 1024) / stackBytesPerCharacter;

/** How often each character that opens something may occur (OL2). Ordinary files of the longest length have half as many. */
const openingLimits: readonly (readonly [opening: string, limit: number])[] = [
  ['(', 4096],
  ['{', 4096],
  ['[', 8192],
  ['<', 2048],
  ['?', 2048],
  ['`', 4096],
];

function occurrences(text: string, character: string): number {
  let count = 0;
  for (let index = text.indexOf(character); index >= 0; index = text.indexOf(character, index + 1)) count += 1;
  return count;
}

/** Why the text is not parsed, for people; null when it is within the limits (OL1, OL2). */
export function limitReason(text: string): string | null {
  if (text.length > parserLengthLimit) {
    return `${text.length} characters are more than ${parserLengthLimit}, the most that is parsed`;
  }
  for (const [opening, limit] of openingLimits) {
    const count = occurrences(text, opening);
    if (count > limit) return `"${opening}" occurs ${count} times; text with more than ${limit} is not parsed`;
  }
  return null;
}
