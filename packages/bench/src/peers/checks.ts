// Checks as virtual jobs: each takes a place and its time, uses no processor, and says yes or no.
//
//   VC1. Never more checks at the same time than there are places; who came first is checked first.
//   VC2. A check of something broken fails; any other fails as often as checks flake. The same seed, the same draws in the same order.

import { RandomStream } from '@firetrident/base';
import type { CheckPlan } from './plan.ts';

/** Runs checks for one system. */
export class Checks {
  readonly #plan: CheckPlan | null;
  readonly #draws: RandomStream;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #runs = 0;

  constructor(plan: CheckPlan | null, seed: number) {
    this.#plan = plan;
    this.#draws = new RandomStream(seed);
  }

  /** Checks that came to an end. */
  get runs(): number {
    return this.#runs;
  }

  /** Whether there are any. */
  get areOn(): boolean {
    return this.#plan !== null;
  }

  /** Whether the next change is broken. */
  drawBroken(): boolean {
    return this.#plan !== null && this.#draws.below(100) < this.#plan.failurePercent;
  }

  /** One check (VC1, VC2); true at once when there are none. Rejects when the signal is given. */
  async run(broken: boolean, signal?: AbortSignal): Promise<boolean> {
    const plan = this.#plan;
    if (plan === null) return true;
    await this.#place(plan, signal);
    try {
      await pause(plan.durationMs, signal);
      this.#runs += 1;
      return !broken && this.#draws.below(100) >= plan.flakePercent;
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** A check, and a second one where the first failed: a change is not sent back for one flake. */
  async runTwice(broken: boolean): Promise<boolean> {
    return (await this.run(broken)) || this.run(broken);
  }

  async #place({ slots }: CheckPlan, signal?: AbortSignal): Promise<void> {
    if (slots > 0 && this.#running >= slots) {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(signal?.reason);
        };
        const enter = () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        this.#waiting.push(enter);
        signal?.addEventListener('abort', leave, { once: true });
      });
    }
    this.#running += 1;
  }
}

function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
