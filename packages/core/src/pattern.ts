// Paths and globs as people predict and claim them, and whether two of them can mean the same file.
//
// A pattern without wildcards names a file, or a whole folder when its name has no extension. `*` and `?` stay inside one segment, `**` spans any
// number of segments; brackets and braces are read as "anything in this segment", which errs towards overlapping.

/** A parsed path or glob. */
export interface Pattern {
  /** The normal form of the text. Equal texts are equal patterns. */
  readonly text: string;
  readonly segments: readonly string[];
  /** No wildcard anywhere. */
  readonly literal: boolean;
  /** A literal path that may be a folder: its name has no extension. Then it stands for everything below too. */
  readonly folder: boolean;
  /** Folders that every match lies below: the folders of a literal path, the part before the first wildcard of a glob. */
  readonly root: readonly string[];
  /** A glob that begins with a wildcard: it names no place, so it neither repels nor is repelled by one that does. */
  readonly wide: boolean;
  /** What is matched segment by segment: `**` at an end of its own stands for one segment or more. */
  readonly span: readonly string[];
  /** A literal root followed by `**` alone: everything below the root. */
  readonly subtree: boolean;
}

const wildcard = /[*?[\]{}]/;
const choice = /[[\]{}]/;

/** Parses a path or glob. A trailing slash means everything below. */
export function parsePattern(raw: string): Pattern {
  const trimmed = raw.endsWith('/') ? `${raw}**` : raw;
  const segments: string[] = [];
  for (const segment of trimmed.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '**' && segments[segments.length - 1] === '**') continue;
    segments.push(segment);
  }
  const firstWild = segments.findIndex((segment) => wildcard.test(segment));
  if (firstWild < 0) return literalPattern(segments);
  const open = segments[segments.length - 1] === '**';
  return {
    text: segments.join('/'),
    segments,
    literal: false,
    folder: false,
    root: segments.slice(0, firstWild),
    wide: firstWild === 0,
    span: open ? [...segments.slice(0, -1), '*', '**'] : segments,
    subtree: open && firstWild === segments.length - 1,
  };
}

/** Patterns of lists of paths, kept as long as the list. A memo: it changes no answer. */
const parsedLists = new WeakMap<readonly string[], readonly Pattern[]>();

/** Parses the paths and globs of a list that does not change. */
export function patternsOf(paths: readonly string[]): readonly Pattern[] {
  let patterns = parsedLists.get(paths);
  if (patterns === undefined) {
    patterns = paths.map(parsePattern);
    parsedLists.set(paths, patterns);
  }
  return patterns;
}

/** The pattern that names one path. */
export function literalPattern(segments: readonly string[]): Pattern {
  const folder = isFolderName(segments[segments.length - 1] ?? '');
  const span = folder ? [...segments, '**'] : segments;
  const root = segments.slice(0, -1);
  return { text: segments.join('/'), segments, literal: true, folder, root, wide: false, span, subtree: false };
}

/** Whether a literal name may be that of a folder: nothing that looks like an extension. */
export function isFolderName(name: string): boolean {
  return !name.includes('.', 1);
}

/** Whether some path can match both. Never wrongly false; true for a few pairs of globs that share no path. */
export function patternsOverlap(left: Pattern, right: Pattern): boolean {
  const leftSegments = left.span;
  const rightSegments = right.span;
  // reach[j]: the first i segments of the left and the first j of the right can match the same text.
  let reach: boolean[] = [true];
  for (let j = 1; j <= rightSegments.length; j += 1) reach[j] = reach[j - 1] === true && rightSegments[j - 1] === '**';
  for (const segment of leftSegments) {
    const next: boolean[] = [reach[0] === true && segment === '**'];
    for (let j = 1; j <= rightSegments.length; j += 1) {
      const other = rightSegments[j - 1] as string;
      const spans = segment === '**' || other === '**';
      next[j] = spans
        ? reach[j] === true || next[j - 1] === true || reach[j - 1] === true
        : reach[j - 1] === true && segmentsOverlap(segment, other);
    }
    reach = next;
  }
  return reach[rightSegments.length] === true;
}

/** Whether a mark on one of them says something about the other (rule T2c). */
export function repels(left: Pattern, right: Pattern): boolean {
  return left.wide === right.wide && patternsOverlap(left, right);
}

function segmentsOverlap(left: string, right: string): boolean {
  const leftWild = wildcard.test(left);
  const rightWild = wildcard.test(right);
  if (!leftWild && !rightWild) return left === right;
  if ((leftWild && rightWild) || choice.test(left) || choice.test(right)) return true;
  return leftWild ? segmentMatches(left, right) : segmentMatches(right, left);
}

/** Matches `*` and `?` in one segment, going back only to the last `*`: linear in practice, never exponential. */
function segmentMatches(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < text.length; ) {
    const character = pattern[at];
    if (character === '*') {
      star = at;
      resume = index;
      at += 1;
    } else if (character === '?' || (character !== undefined && character === text[index])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
