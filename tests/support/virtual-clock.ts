// Virtual time for engine tests: nothing happens until the test lets time pass.

import { Heap } from '@firetrident/base';
import type { Clock } from '@firetrident/engine';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** A clock whose time moves only when `advance` or `next` is called. Timers of one moment run in order of asking. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Heap<Timer>((left, right) => left.at - right.at || left.order - right.order);

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.#order += 1;
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order, callback, cancelled: false };
    this.#timers.push(timer);
    return () => {
      timer.cancelled = true;
    };
  }

  /** Runs timers up to `untilMs`, letting all promises settle before each. */
  async runUntil(untilMs: number): Promise<void> {
    for (;;) {
      await settle();
      const timer = this.#timers.peek();
      if (timer === undefined || timer.at > untilMs) break;
      this.#timers.pop();
      if (timer.cancelled) continue;
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
    }
    this.#now = Math.max(this.#now, untilMs);
  }
}

/** Lets every promise that can settle without time do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
