// Which lines take part in the search for a common subsequence.
//
// A line without an equal in the other text is surely changed and is left out beforehand. A line with very many equals
// would make the search slow and its result worse, so it is left out too when it stands amid lines without an equal.
// Both choices decide which of several shortest scripts comes out, so they follow git's to the letter.
//
// Invariants:
//   DC1. Every line between `start` and `end` is either returned as a candidate or marked as changed, never both.

/** From how many equals on a line is frequent, at the most. */
const frequentLimit = 1024;
/** How many lines to each side are looked at around a frequent line. */
const surroundingsLines = 100;
/** A frequent line is left out when fewer than one in so many lines of its run are frequent. */
const frequentShare = 4;

const unmatched = 0;
const matched = 1;
const frequent = 2;

/** git's cheap square root: the power of two with half as many binary digits, rounded up. */
export function approximateSquareRoot(value: number): number {
  return 2 ** Math.ceil((32 - Math.clz32(value)) / 2);
}

/** Counts of unmatched and frequent lines from beside `index` to the next plainly matched line, or `surroundingsLines` away. */
function surroundings(kinds: Uint8Array, index: number, step: 1 | -1): { unmatched: number; frequent: number } {
  const counts = { unmatched: 0, frequent: 0 };
  for (let distance = 1; distance <= surroundingsLines; distance += 1) {
    const kind = kinds[index + step * distance];
    if (kind === undefined || kind === matched) break;
    if (kind === unmatched) counts.unmatched += 1;
    else counts.frequent += 1;
  }
  return counts;
}

function standsAmidUnmatched(kinds: Uint8Array, index: number): boolean {
  const above = surroundings(kinds, index, -1);
  if (above.unmatched === 0) return false;
  const below = surroundings(kinds, index, 1);
  if (below.unmatched === 0) return false;
  // The line itself counts once for each direction.
  const frequentCount = above.frequent + below.frequent + 2;
  return frequentCount * frequentShare < frequentCount + above.unmatched + below.unmatched;
}

/**
 * Picks the candidates among the lines `start` up to before `end` of a text (DC1).
 *
 * `numbers` are all lines of the text, `occurrences` tells for each line number how often it occurs in the whole other
 * text. Returns the positions of the candidates; the others get a 1 in `changed`.
 */
export function pickCandidates(
  numbers: Int32Array,
  start: number,
  end: number,
  occurrences: Int32Array,
  changed: Uint8Array,
): Int32Array {
  const limit = Math.min(approximateSquareRoot(numbers.length), frequentLimit);
  const kinds = new Uint8Array(end - start);
  for (let index = 0; index < kinds.length; index += 1) {
    const equals = occurrences[numbers[start + index] as number] as number;
    if (equals > 0) kinds[index] = equals < limit ? matched : frequent;
  }
  const candidates = new Int32Array(kinds.length);
  let count = 0;
  for (let index = 0; index < kinds.length; index += 1) {
    const kind = kinds[index];
    if (kind === matched || (kind === frequent && !standsAmidUnmatched(kinds, index))) {
      candidates[count] = start + index;
      count += 1;
    } else {
      changed[start + index] = 1;
    }
  }
  return candidates.subarray(0, count);
}
