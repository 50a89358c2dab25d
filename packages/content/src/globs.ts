// Patterns over the paths of a tree.
//
// It never knows a tree: a pattern is matched against one path at a time. A small language of its own rather than a
// library's, because what agents write here decides staleness and must mean the same in every version.
//
//   *        any run of characters inside one segment, also none        [a-z]  one character of a set; [!a] or [^a] one outside
//   ?        one character inside a segment                              {a,b}  either, also nested
//   **       as a whole segment: any number of segments, also none       \x     the character x itself
//
// "**" at the end needs at least one segment. Names that begin with a dot are like any others. A pattern that ends in
// "/" means everything below. A path that is spelled as the pattern itself always matches, and so does everything below
// it, so a plain folder name covers its content, and `app/[id]/page.tsx` can be named as it is.
//
// Invariants:
//   GL1. An ASCII pattern means what it means to git as a `:(glob)` pathspec, unless it has braces, named sets such as
//        [:alpha:], a "/" at the end, or several stars beside other characters of a segment, which are one star here.
//   GL2. Every matching path is `globRoot` or lies below it.
//   GL3. Matching takes at most (length of pattern × length of path) steps for each alternative.

import { assert, no, ok, type Result, type TreePath } from '@firetrident/base';
import { expandBraces, hasBraces } from './globs-braces.ts';
import { compileSegment, literalOf, type Segment } from './globs-segment.ts';

/** Longest pattern, in UTF-16 units. */
export const globLengthLimit = 1024;
/** Most plain patterns that the braces of one pattern may stand for. */
export const globAlternativesLimit = 16;

/** Why a text is no pattern. */
export type GlobRefusal =
  | { readonly code: 'empty' }
  | { readonly code: 'too_long'; readonly length: number; readonly limit: number }
  | { readonly code: 'too_many_alternatives'; readonly limit: number }
  /** A leading "!": there are no negative patterns. */
  | { readonly code: 'negated' }
  /** A leading "/", a ".." segment, or an empty segment. */
  | { readonly code: 'not_inside_tree' }
  /** A "[" without its "]", or a "\" at the end. */
  | { readonly code: 'unfinished' };

type Alternative = readonly (Segment | 'any')[];

function withoutCurrentFolder(pattern: string): string {
  let rest = pattern;
  while (rest.startsWith('./')) rest = rest.slice(2);
  return rest;
}

/** Two stars as a whole segment, or more of them. */
function isAnyFolders(segment: string): boolean {
  return segment.length > 1 && segment === '*'.repeat(segment.length);
}

function compileAlternative(pattern: string): Result<Alternative, GlobRefusal> {
  const texts = (pattern.endsWith('/') ? `${pattern}**` : pattern).split('/');
  const segments: (Segment | 'any')[] = [];
  for (const text of texts) {
    if (text === '' || text === '.' || text === '..') return no({ code: 'not_inside_tree' });
    const segment = isAnyFolders(text) ? 'any' : compileSegment(text);
    if (segment === null) return no({ code: 'unfinished' });
    segments.push(segment);
  }
  return ok(segments);
}

function compileAll(pattern: string): Result<readonly Alternative[], GlobRefusal> {
  if (pattern.length > globLengthLimit) {
    return no({ code: 'too_long', length: pattern.length, limit: globLengthLimit });
  }
  if (pattern.startsWith('!')) return no({ code: 'negated' });
  const rest = withoutCurrentFolder(pattern);
  if (rest === '') return no({ code: 'empty' });
  const plain = expandBraces(rest, globAlternativesLimit);
  if (plain === null) return no({ code: 'too_many_alternatives', limit: globAlternativesLimit });
  const alternatives: Alternative[] = [];
  for (const each of plain) {
    const compiled = compileAlternative(each);
    if (!compiled.ok) return compiled;
    alternatives.push(compiled.value);
  }
  return ok(alternatives);
}

function compileValid(pattern: string): readonly Alternative[] {
  const compiled = compileAll(pattern);
  assert(compiled.ok, `"${pattern}" is a valid pattern`);
  return compiled.value;
}

/** Positions in the pattern that can follow once `position` is reached: "any" may also stand for nothing. */
function addPosition(alternative: Alternative, positions: Set<number>, position: number): void {
  for (let next = position; ; next += 1) {
    positions.add(next);
    // At the end it needs a segment, else "a/**" would be "a" itself.
    if (alternative[next] !== 'any' || next === alternative.length - 1) return;
  }
}

function matchesAlternative(alternative: Alternative, segments: readonly string[]): boolean {
  let positions = new Set<number>();
  addPosition(alternative, positions, 0);
  for (const segment of segments) {
    const following = new Set<number>();
    for (const position of positions) {
      const expected = alternative[position];
      if (expected === undefined) continue;
      if (expected === 'any') {
        addPosition(alternative, following, position);
        if (position === alternative.length - 1) following.add(alternative.length);
      } else if (expected.matches(segment)) addPosition(alternative, following, position + 1);
    }
    if (following.size === 0) return false;
    positions = following;
  }
  return positions.has(alternative.length);
}

/** The pattern itself when it is one, else why not. A leading "./" is accepted and means nothing. */
export function checkGlob(pattern: string): Result<string, GlobRefusal> {
  const compiled = compileAll(pattern);
  return compiled.ok ? ok(pattern) : compiled;
}

/** A test for paths (GL1, GL3). The pattern must have passed `checkGlob`. */
export function compileGlob(pattern: string): (path: TreePath) => boolean {
  const alternatives = compileValid(pattern);
  const asWritten = withoutCurrentFolder(pattern);
  const below = asWritten.endsWith('/') ? asWritten : `${asWritten}/`;
  return (path) => {
    if (path === asWritten || path.startsWith(below)) return true;
    const segments = path.split('/');
    return alternatives.some((alternative) => matchesAlternative(alternative, segments));
  };
}

/** Whether the text holds anything that is special in a pattern. A plain path or folder name is no glob. */
export function isGlob(text: string): boolean {
  return /[*?[\\]/.test(text) || hasBraces(text) || text.endsWith('/');
}

function literalSegments(alternative: Alternative): readonly string[] {
  const literals: string[] = [];
  for (const segment of alternative) {
    const literal = segment === 'any' ? null : literalOf(segment);
    if (literal === null) break;
    literals.push(literal);
  }
  return literals;
}

/**
 * The longest plain path that begins everything the pattern can match (GL2): "src/a" for "src/a/*.ts", the whole of a
 * plain path or folder name, "" when anything can match. The pattern must have passed `checkGlob`.
 */
export function globRoot(pattern: string): TreePath {
  const [first, ...others] = compileValid(pattern).map((alternative) => literalSegments(alternative));
  let shared = first ?? [];
  for (const segments of others) {
    const end = shared.findIndex((segment, index) => segment !== segments[index]);
    if (end >= 0) shared = shared.slice(0, end);
  }
  return commonWithSpelling(shared, withoutCurrentFolder(pattern)).join('/');
}

/** What matches as spelled must lie below the root too: "a\*b" as a path has a backslash in its name. */
function commonWithSpelling(shared: readonly string[], asWritten: string): readonly string[] {
  const written = asWritten.split('/');
  const end = shared.findIndex((segment, index) => segment !== written[index]);
  return end < 0 ? shared : shared.slice(0, end);
}

/**
 * Whether two patterns may match a path in common, judged by their roots: false only when they surely do not. Both must
 * have passed `checkGlob`.
 */
export function globsOverlap(left: string, right: string): boolean {
  const leftRoot = globRoot(left);
  const rightRoot = globRoot(right);
  if (leftRoot === '' || rightRoot === '' || leftRoot === rightRoot) return true;
  return leftRoot.startsWith(`${rightRoot}/`) || rightRoot.startsWith(`${leftRoot}/`);
}
