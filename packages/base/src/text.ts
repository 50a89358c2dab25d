// How alike two texts are, for the notice that two intents may be the same work.
//
// It never knows a language: words are runs of letters, digits, "_", "+" and "#" (so that "C", "C++" and "C#" differ).
// Scripts that are written without blanks therefore make long words and are compared whole.
//
// Invariants:
//   TX1. normaliseTitle(normaliseTitle(t)) = normaliseTitle(t).
//   TX2. textOverlap is symmetric, 1 for a text that has words against itself, and between 0 and 1.

const separators = /[^\p{L}\p{M}\p{N}_+#]+/gu;

/**
 * A title without what does not tell two apart: case, compatibility forms, punctuation and runs of blanks. The words are
 * joined by single spaces; "" when there is none (TX1).
 */
export function normaliseTitle(title: string): string {
  // Lower case can undo a composition and a composition can have a lower case of its own, so the order matters twice.
  const folded = title.normalize('NFKC').toLowerCase().normalize('NFKC');
  return folded.replace(separators, ' ').trim();
}

/** The different words of a text, normalised as in `normaliseTitle`. */
export function textWords(text: string): ReadonlySet<string> {
  const normalised = normaliseTitle(text);
  return new Set(normalised === '' ? [] : normalised.split(' '));
}

/** Jaccard measure of two sets of words: those in both ÷ those in either; 0 when both are empty. */
export function wordOverlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  const either = left.size + right.size - shared;
  return either === 0 ? 0 : shared / either;
}

/**
 * How alike two texts are, from 0 (no word in common, or no words at all) to 1 (the same words, in any order and
 * number): the Jaccard measure of their sets of words (TX2). Who compares one text with many keeps its `textWords` and
 * calls `wordOverlap`.
 */
export function textOverlap(left: string, right: string): number {
  return wordOverlap(textWords(left), textWords(right));
}
