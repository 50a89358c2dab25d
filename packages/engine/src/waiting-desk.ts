// Who waits for which thing to settle: the outcome of a proposal, the keeping of a preserved content.

import type { Clock } from './ports.ts';

/** Parks callers until the thing with an id settles or their patience ends. */
export class WaitingDesk<K extends string> {
  readonly #clock: Clock;
  readonly #waiting = new Map<K, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it settles, or after `waitMs`. */
  wait(id: K, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const done = () => {
        cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const cancel = this.#clock.after(waitMs, done);
      waiting.add(done);
    });
  }

  /** It settled, durably. */
  settled(id: K): void {
    for (const done of [...(this.#waiting.get(id) ?? [])]) done();
  }

  /** Lets everybody go, settled or not. */
  releaseAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const done of [...waiting]) done();
  }
}
