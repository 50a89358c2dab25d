// Sliding of changed runs.
//
// A run of changed lines can often stand at several places: when the line after it equals its first line it may move
// down by one, when the line before it equals its last line it may move up. The rule here is git's without the indent
// heuristic: runs that meet become one, a run goes down as far as it can, but rather stands beside a changed run of
// the other text, the lowest such place.
//
// Unchanged lines of the two texts correspond one to one, so between two of them there is one run, possibly empty, in
// each text; a cursor in either text names the same gap.
//
// Invariants:
//   SL1. Sliding keeps the number of changed lines and the sequence of unchanged lines.
//   SL2. The cursors of both texts are always in the same gap.

import { assert } from '@firetrident/base';

/** The run of changed lines between two neighbouring unchanged lines; possibly empty. */
class RunCursor {
  readonly #numbers: Int32Array;
  readonly #changed: Uint8Array;
  start = 0;
  end = 0;

  constructor(numbers: Int32Array, changed: Uint8Array) {
    this.#numbers = numbers;
    this.#changed = changed;
    this.#growDown();
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Goes to the run after the next unchanged line; false at the end of the text. */
  next(): boolean {
    if (this.end === this.#numbers.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#growDown();
    return true;
  }

  /** Goes to the run before the previous unchanged line; false at the start of the text. */
  previous(): boolean {
    if (this.start === 0) return false;
    this.end = this.start - 1;
    this.start = this.end;
    this.#growUp();
    return true;
  }

  /** Moves the run down by a line, taking in a run it meets; false when it cannot move. */
  slideDown(): boolean {
    if (this.end === this.#numbers.length || this.#numbers[this.start] !== this.#numbers[this.end]) return false;
    this.#changed[this.start] = 0;
    this.#changed[this.end] = 1;
    this.start += 1;
    this.end += 1;
    this.#growDown();
    return true;
  }

  /** Moves the run up by a line, taking in a run it meets; false when it cannot move. */
  slideUp(): boolean {
    if (this.start === 0 || this.#numbers[this.start - 1] !== this.#numbers[this.end - 1]) return false;
    this.start -= 1;
    this.end -= 1;
    this.#changed[this.start] = 1;
    this.#changed[this.end] = 0;
    this.#growUp();
    return true;
  }

  #growDown(): void {
    while (this.end < this.#numbers.length && this.#changed[this.end] === 1) this.end += 1;
  }

  #growUp(): void {
    while (this.start > 0 && this.#changed[this.start - 1] === 1) this.start -= 1;
  }
}

/**
 * Moves a run up and then down as far as it goes, again and again while it swallows others. Leaves it at its lowest
 * place; returns the `end` at its highest place, and at the lowest place beside a changed run of the other text.
 */
function slideToBottom(run: RunCursor, other: RunCursor): { highestEnd: number; besideEnd: number | null } {
  for (;;) {
    const length = run.length;
    while (run.slideUp()) assert(other.previous(), 'the other text has a gap above'); // (SL2)
    const highestEnd = run.end;
    let besideEnd = other.isEmpty ? null : run.end;
    while (run.slideDown()) {
      assert(other.next(), 'SL2: the other text has a gap below');
      if (!other.isEmpty) besideEnd = run.end;
    }
    if (run.length === length) return { highestEnd, besideEnd };
  }
}

/** Slides the changed runs of one text to their final places (SL1); `other` is the text it is compared with. */
export function slideRuns(
  numbers: Int32Array,
  changed: Uint8Array,
  otherNumbers: Int32Array,
  otherChanged: Uint8Array,
): void {
  const run = new RunCursor(numbers, changed);
  const other = new RunCursor(otherNumbers, otherChanged);
  for (;;) {
    if (!run.isEmpty) {
      const { highestEnd, besideEnd } = slideToBottom(run, other);
      if (run.end !== highestEnd && besideEnd !== null) {
        while (other.isEmpty) {
          assert(run.slideUp() && other.previous(), 'SL2: the place beside the other run is above');
        }
      }
    }
    const more = run.next();
    assert(other.next() === more, 'SL2: both texts end together');
    if (!more) return;
  }
}
