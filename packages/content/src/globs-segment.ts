// One segment of a pattern, that is what stands between two slashes.
//
// Invariants:
//   GS1. A run of stars is one star. Only two or more as a whole segment are more, and that is not this file's matter.
//   GS2. Characters are code points, so "?" takes one letter whatever its bytes.

type Part =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'character'; readonly code: number }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [low: number, high: number])[];
    };

/** A compiled segment. */
export interface Segment {
  readonly parts: readonly Part[];
  matches(name: string): boolean;
}

interface SetParse {
  readonly part: Part;
  /** Position behind the closing bracket. */
  readonly end: number;
}

/** Reads a set whose "[" stands at `open`. A "]" right behind the opening is a member, as is "-" at either end. */
function parseSet(codes: readonly number[], open: number): SetParse | null {
  let index = open + 1;
  const negated = codes[index] === 0x21 || codes[index] === 0x5e;
  if (negated) index += 1;
  const first = index;
  const ranges: [number, number][] = [];
  for (;;) {
    if (codes[index] === 0x5d && index > first) return { part: { kind: 'set', negated, ranges }, end: index + 1 };
    if (codes[index] === 0x5c) index += 1;
    const low = codes[index];
    if (low === undefined) return null;
    index += 1;
    const isRange = codes[index] === 0x2d && codes[index + 1] !== undefined && codes[index + 1] !== 0x5d;
    if (isRange) index += codes[index + 1] === 0x5c ? 2 : 1;
    const high = isRange ? codes[index] : low;
    if (high === undefined) return null;
    if (isRange) index += 1;
    ranges.push([low, high]);
  }
}

function parseParts(codes: readonly number[]): readonly Part[] | null {
  const parts: Part[] = [];
  for (let index = 0; index < codes.length; ) {
    const code = codes[index] as number;
    if (code === 0x5b) {
      const set = parseSet(codes, index);
      if (set === null) return null;
      parts.push(set.part);
      index = set.end;
      continue;
    }
    index += 1;
    if (code === 0x2a) {
      if (parts.at(-1)?.kind !== 'star') parts.push({ kind: 'star' });
    } else if (code === 0x3f) parts.push({ kind: 'any' });
    else if (code !== 0x5c) parts.push({ kind: 'character', code });
    else {
      const escaped = codes[index];
      if (escaped === undefined) return null;
      parts.push({ kind: 'character', code: escaped });
      index += 1;
    }
  }
  return parts;
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number);
}

function matchesCode(part: Part, code: number): boolean {
  if (part.kind === 'character') return part.code === code;
  if (part.kind === 'set') return part.ranges.some(([low, high]) => code >= low && code <= high) !== part.negated;
  return part.kind === 'any';
}

/** Greedy match: on a mismatch only the last star can take one more character, earlier ones never need to. */
function matchesParts(parts: readonly Part[], codes: readonly number[]): boolean {
  let position = 0;
  let index = 0;
  let starPosition = -1;
  let starIndex = 0;
  while (index < codes.length) {
    const part = parts[position];
    if (part?.kind === 'star') {
      starPosition = position;
      starIndex = index;
      position += 1;
    } else if (part !== undefined && matchesCode(part, codes[index] as number)) {
      position += 1;
      index += 1;
    } else if (starPosition >= 0) {
      starIndex += 1;
      index = starIndex;
      position = starPosition + 1;
    } else return false;
  }
  while (parts[position]?.kind === 'star') position += 1;
  return position === parts.length;
}

/** Compiles a segment (GS1, GS2); null when a set or an escape is not finished. */
export function compileSegment(text: string): Segment | null {
  const parts = parseParts(codePoints(text));
  return parts === null ? null : { parts, matches: (name) => matchesParts(parts, codePoints(name)) };
}

/** The only name that the segment matches; null when it may match others. */
export function literalOf(segment: Segment): string | null {
  let literal = '';
  for (const part of segment.parts) {
    if (part.kind !== 'character') return null;
    literal += String.fromCodePoint(part.code);
  }
  return literal;
}
