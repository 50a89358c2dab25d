// Where to cut a diff problem in two: the middle of a shortest edit path, after E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations" (1986), searched from both corners at once.
//
// The problem is a box: a range of lines of the text before and one of the text after. A diagonal is the set of points
// with the same (before - after); the search keeps for each diagonal how far it got. When the search grows expensive it
// settles for a promising point, or at last for the furthest one. The order of the search, the ties and the limits
// decide which script comes out, so they are git's.
//
// Invariants:
//   DS1. The split lies inside the box and is never the corner it would have to make progress from on both sides, so
//        both halves are smaller than the box.

/** A range of lines before, and one after; ends are exclusive. */
export type Box = {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
};

/** A point to cut at, and whether the halves below and above must be searched without short cuts. */
export type Split = {
  readonly before: number;
  readonly after: number;
  readonly lowExact: boolean;
  readonly highExact: boolean;
};

/** So many equal lines in a row count as a good match. */
const snakeLines = 20;
/** Above this cost of edits a good match may end the search. */
const shortcutCost = 256;
/** A match ends the search only when it brought so many times more progress than it cost. */
const shortcutFactor = 4;
/** Beyond every line of any text. */
const unreachable = 0x7fffffff;

/** The search for splits in one pair of texts; its working memory is reused from box to box. */
export class SplitSearch {
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  readonly #costLimit: number;
  // Furthest line before reached on each diagonal, from the start and from the end; index = diagonal + #origin.
  readonly #fromStart: Int32Array;
  readonly #fromEnd: Int32Array;
  readonly #origin: number;
  #box: Box = { beforeStart: 0, beforeEnd: 0, afterStart: 0, afterEnd: 0 };
  #startLow = 0;
  #startHigh = 0;
  #endLow = 0;
  #endHigh = 0;
  #sawSnake = false;

  /** `before` and `after` are the candidates' numbers; a search that costs `costLimit` edits is cut off. */
  constructor(before: Int32Array, after: Int32Array, costLimit: number) {
    this.#before = before;
    this.#after = after;
    this.#costLimit = costLimit;
    const diagonals = before.length + after.length + 3;
    this.#fromStart = new Int32Array(diagonals);
    this.#fromEnd = new Int32Array(diagonals);
    this.#origin = after.length + 1;
  }

  /** Finds the split of a box whose first lines differ, whose last lines differ, and whose sides are not empty (DS1). */
  find(box: Box, exact: boolean): Split {
    const startDiagonal = box.beforeStart - box.afterStart;
    const endDiagonal = box.beforeEnd - box.afterEnd;
    const meetsFromStart = ((startDiagonal - endDiagonal) & 1) !== 0;
    this.#box = box;
    this.#startLow = this.#startHigh = startDiagonal;
    this.#endLow = this.#endHigh = endDiagonal;
    this.#fromStart[this.#origin + startDiagonal] = box.beforeStart;
    this.#fromEnd[this.#origin + endDiagonal] = box.beforeEnd;
    for (let cost = 1; ; cost += 1) {
      this.#sawSnake = false;
      const met = this.#advanceFromStart(meetsFromStart) ?? this.#advanceFromEnd(!meetsFromStart);
      if (met !== null) return met;
      if (exact) continue;
      if (this.#sawSnake && cost > shortcutCost) {
        const shortcut = this.#promisingFromStart(cost) ?? this.#promisingFromEnd(cost);
        if (shortcut !== null) return shortcut;
      }
      if (cost >= this.#costLimit) return this.#furthest();
    }
  }

  /** One more edit on every path from the start; the meeting point when `mayMeet` and a path from the end was hit. */
  #advanceFromStart(mayMeet: boolean): Split | null {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box;
    const before = this.#before;
    const after = this.#after;
    const reached = this.#fromStart;
    const origin = this.#origin;
    // The range of diagonals grows by one on each side; at the border of the box it shrinks instead, because every
    // step looks only at every other diagonal.
    if (this.#startLow > beforeStart - afterEnd) {
      this.#startLow -= 1;
      reached[origin + this.#startLow - 1] = -1;
    } else this.#startLow += 1;
    if (this.#startHigh < beforeEnd - afterStart) {
      this.#startHigh += 1;
      reached[origin + this.#startHigh + 1] = -1;
    } else this.#startHigh -= 1;
    for (let diagonal = this.#startHigh; diagonal >= this.#startLow; diagonal -= 2) {
      const removing = reached[origin + diagonal - 1] as number;
      const adding = reached[origin + diagonal + 1] as number;
      const entered = removing >= adding ? removing + 1 : adding;
      let line = entered;
      while (line < beforeEnd && line - diagonal < afterEnd && before[line] === after[line - diagonal]) line += 1;
      if (line - entered > snakeLines) this.#sawSnake = true;
      reached[origin + diagonal] = line;
      if (mayMeet && this.#endLow <= diagonal && diagonal <= this.#endHigh) {
        if ((this.#fromEnd[origin + diagonal] as number) <= line) return exactSplit(line, diagonal);
      }
    }
    return null;
  }

  /** One more edit on every path from the end; the mirror image of the above. */
  #advanceFromEnd(mayMeet: boolean): Split | null {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box;
    const before = this.#before;
    const after = this.#after;
    const reached = this.#fromEnd;
    const origin = this.#origin;
    if (this.#endLow > beforeStart - afterEnd) {
      this.#endLow -= 1;
      reached[origin + this.#endLow - 1] = unreachable;
    } else this.#endLow += 1;
    if (this.#endHigh < beforeEnd - afterStart) {
      this.#endHigh += 1;
      reached[origin + this.#endHigh + 1] = unreachable;
    } else this.#endHigh -= 1;
    for (let diagonal = this.#endHigh; diagonal >= this.#endLow; diagonal -= 2) {
      const adding = reached[origin + diagonal - 1] as number;
      const removing = reached[origin + diagonal + 1] as number;
      const entered = adding < removing ? adding : removing - 1;
      let line = entered;
      while (line > beforeStart && line - diagonal > afterStart && before[line - 1] === after[line - diagonal - 1]) {
        line -= 1;
      }
      if (entered - line > snakeLines) this.#sawSnake = true;
      reached[origin + diagonal] = line;
      if (mayMeet && this.#startLow <= diagonal && diagonal <= this.#startHigh) {
        if (line <= (this.#fromStart[origin + diagonal] as number)) return exactSplit(line, diagonal);
      }
    }
    return null;
  }

  /** The path from the start with the most progress for its cost that ends in a good match. */
  #promisingFromStart(cost: number): Split | null {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box;
    let best = shortcutFactor * cost;
    let split: Split | null = null;
    for (let diagonal = this.#startHigh; diagonal >= this.#startLow; diagonal -= 2) {
      const line = this.#fromStart[this.#origin + diagonal] as number;
      const other = line - diagonal;
      const detour = Math.abs(diagonal - (beforeStart - afterStart));
      const progress = line - beforeStart + (other - afterStart) - detour;
      if (progress <= best || line >= beforeEnd || other >= afterEnd) continue;
      if (line < beforeStart + snakeLines || other < afterStart + snakeLines) continue;
      if (!this.#isMatch(line - snakeLines, other - snakeLines)) continue;
      best = progress;
      split = { before: line, after: other, lowExact: true, highExact: false };
    }
    return split;
  }

  /** The path from the end with the most progress for its cost that begins in a good match. */
  #promisingFromEnd(cost: number): Split | null {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box;
    let best = shortcutFactor * cost;
    let split: Split | null = null;
    for (let diagonal = this.#endHigh; diagonal >= this.#endLow; diagonal -= 2) {
      const line = this.#fromEnd[this.#origin + diagonal] as number;
      const other = line - diagonal;
      const detour = Math.abs(diagonal - (beforeEnd - afterEnd));
      const progress = beforeEnd - line + (afterEnd - other) - detour;
      if (progress <= best || line <= beforeStart || other <= afterStart) continue;
      if (line > beforeEnd - snakeLines || other > afterEnd - snakeLines) continue;
      if (!this.#isMatch(line, other)) continue;
      best = progress;
      split = { before: line, after: other, lowExact: false, highExact: true };
    }
    return split;
  }

  /** Whether the `snakeLines` lines from these positions on are equal. */
  #isMatch(before: number, after: number): boolean {
    for (let offset = 0; offset < snakeLines; offset += 1) {
      if (this.#before[before + offset] !== this.#after[after + offset]) return false;
    }
    return true;
  }

  /** The point that got furthest from its corner, when the search has cost enough. */
  #furthest(): Split {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box;
    let startSum = -1;
    let startLine = -1;
    for (let diagonal = this.#startHigh; diagonal >= this.#startLow; diagonal -= 2) {
      const reached = Math.min(this.#fromStart[this.#origin + diagonal] as number, beforeEnd);
      const line = Math.min(reached, afterEnd + diagonal);
      if (startSum < line + line - diagonal) {
        startSum = line + line - diagonal;
        startLine = line;
      }
    }
    let endSum = Number.POSITIVE_INFINITY;
    let endLine = Number.POSITIVE_INFINITY;
    for (let diagonal = this.#endHigh; diagonal >= this.#endLow; diagonal -= 2) {
      const reached = Math.max(this.#fromEnd[this.#origin + diagonal] as number, beforeStart);
      const line = Math.max(reached, afterStart + diagonal);
      if (line + line - diagonal < endSum) {
        endSum = line + line - diagonal;
        endLine = line;
      }
    }
    if (beforeEnd + afterEnd - endSum < startSum - (beforeStart + afterStart)) {
      return { before: startLine, after: startSum - startLine, lowExact: true, highExact: false };
    }
    return { before: endLine, after: endSum - endLine, lowExact: false, highExact: true };
  }
}

function exactSplit(line: number, diagonal: number): Split {
  return { before: line, after: line - diagonal, lowExact: true, highExact: true };
}
