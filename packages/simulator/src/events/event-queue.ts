// The future of a simulation: what happens when, in one order that never depends on chance.
//
// A binary heap over typed arrays. Pushing and popping allocate nothing; the arrays double when they are full.
//
//   EQ1. Events come out by time, and events of one time in the order in which they were pushed.
//   EQ2. Time never runs backwards: nothing is pushed before the time of the last event that came out.

import { assert } from '@firetrident/base';

/** Queue of events. An event is a kind, the number of whom it concerns, and a stamp that its owner gives meaning to. */
export class EventQueue {
  /** The event that came out last. */
  atMs = 0;
  kind = 0;
  subject = 0;
  stamp = 0;
  #size = 0;
  #pushed = 0;
  #times: Float64Array = new Float64Array(1_024);
  #orders: Float64Array = new Float64Array(1_024);
  #kinds: Uint8Array = new Uint8Array(1_024);
  #subjects: Int32Array = new Int32Array(1_024);
  #stamps: Int32Array = new Int32Array(1_024);

  get size(): number {
    return this.#size;
  }

  /** Events that were pushed, ever. */
  get pushed(): number {
    return this.#pushed;
  }

  /** Plans an event. */
  push(atMs: number, kind: number, subject: number, stamp: number): void {
    assert(atMs >= this.atMs, 'an event lies in the future'); // (EQ2)
    if (this.#size === this.#times.length) this.#grow();
    let hole = this.#size;
    this.#size += 1;
    const order = this.#pushed;
    this.#pushed += 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      // A later push never goes before an earlier one of the same time (EQ1).
      if (atMs >= (this.#times[parent] as number)) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#times[hole] = atMs;
    this.#orders[hole] = order;
    this.#kinds[hole] = kind;
    this.#subjects[hole] = subject;
    this.#stamps[hole] = stamp;
  }

  /** Takes the next event out, into the fields of this object. False when nothing is planned. */
  pop(): boolean {
    if (this.#size === 0) return false;
    this.atMs = this.#times[0] as number;
    this.kind = this.#kinds[0] as number;
    this.subject = this.#subjects[0] as number;
    this.stamp = this.#stamps[0] as number;
    this.#size -= 1;
    this.#sink(this.#size);
    return true;
  }

  /** Lets the element at `last` sink from the top. */
  #sink(last: number): void {
    const time = this.#times[last] as number;
    const order = this.#orders[last] as number;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#isBefore(child + 1, this.#times[child] as number, this.#orders[child] as number)) {
        child += 1;
      }
      if (!this.#isBefore(child, time, order)) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#move(last, hole);
  }

  #isBefore(place: number, time: number, order: number): boolean {
    const other = this.#times[place] as number;
    return other < time || (other === time && (this.#orders[place] as number) < order);
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] as number;
    this.#orders[to] = this.#orders[from] as number;
    this.#kinds[to] = this.#kinds[from] as number;
    this.#subjects[to] = this.#subjects[from] as number;
    this.#stamps[to] = this.#stamps[from] as number;
  }

  #grow(): void {
    const length = this.#times.length * 2;
    this.#times = grown(this.#times, new Float64Array(length));
    this.#orders = grown(this.#orders, new Float64Array(length));
    this.#kinds = grown(this.#kinds, new Uint8Array(length));
    this.#subjects = grown(this.#subjects, new Int32Array(length));
    this.#stamps = grown(this.#stamps, new Int32Array(length));
  }
}

function grown<A extends Float64Array | Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
