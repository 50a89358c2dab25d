// Work that comes back after a while, until it is stopped: looks at trunk, maintenance, opening a failed session again.
//
// Invariants:
//   BG1. A piece of work is never under way twice: the pause begins when it has ended.
//   BG2. After `stop` nothing begins any more.
//   BG3. What fails after `stop` is not told: what it worked with is being closed, and nothing is tried again.

import type { Clock, Log } from './ports.ts';

/** Timers of one colony. */
export class Background {
  readonly #clock: Clock;
  readonly #log: Log;
  /** How to cancel each timer that has not run yet. */
  readonly #pending = new Set<() => void>();
  #stopped = false;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Calls back once (BG2). */
  after(delayMs: number, callback: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#clock.after(delayMs, () => {
      this.#pending.delete(cancel);
      callback();
    });
    this.#pending.add(cancel);
  }

  /** Does work again and again, with a pause before each time (BG1). A failure is logged. */
  every(intervalMs: number, work: () => Promise<void>): void {
    this.after(intervalMs, () => {
      work()
        .catch((error: unknown) => {
          if (this.#stopped) return; // (BG3)
          this.#log.warn('background work failed; it is tried again', { problem: String(error) });
        })
        .finally(() => this.every(intervalMs, work));
    });
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }
}
