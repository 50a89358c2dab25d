// The event loop watched: the longest time for which it did not turn, and what held it up.
//
//   LW1. A delay is told too long by one tick of the watch at most.
//   LW2. The parts of a delay add up to it: collections of garbage, other work of this thread, and time in which the
//        machine did not let the thread run.

import { PerformanceObserver, performance } from 'node:perf_hooks';
import process from 'node:process';

/** Time between two ticks of the watch. */
const tickMs = 5;
/** Collections that are remembered for the delays that they may explain. */
const collectionsAtMost = 256;

/** The longest delay of a while, in milliseconds, with its parts (LW2). */
export interface LoopDelay {
  readonly delayMs: number;
  readonly collectingMs: number;
  readonly workingMs: number;
  readonly notRunMs: number;
}

interface Collection {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Longest {
  readonly fromMs: number;
  readonly toMs: number;
  readonly delayMs: number;
  /** Processor time of this thread within it. */
  readonly usedMs: number;
}

const none: Longest = { fromMs: 0, toMs: 0, delayMs: 0, usedMs: 0 };

/** Watches the loop of the thread that makes it. */
export class LoopWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #observer: PerformanceObserver;
  readonly #collections: Collection[] = [];
  #tickedMs = performance.now();
  #usedMs = threadMs();
  #longest = none;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    this.#observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        this.#collections.push({ fromMs: startTime, toMs: startTime + duration });
      }
      this.#collections.splice(0, this.#collections.length - collectionsAtMost);
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** The longest delay since the last time that this was asked. */
  take(): LoopDelay {
    const { fromMs, toMs, delayMs, usedMs } = this.#longest;
    this.#longest = none;
    const overlap = (one: Collection) => Math.max(0, Math.min(toMs, one.toMs) - Math.max(fromMs, one.fromMs));
    const collectingMs = Math.min(
      delayMs,
      this.#collections.reduce((sum, one) => sum + overlap(one), 0),
    );
    const workingMs = Math.min(delayMs - collectingMs, Math.max(0, usedMs - collectingMs));
    return { delayMs, collectingMs, workingMs, notRunMs: delayMs - collectingMs - workingMs };
  }

  /** Stops watching. */
  close(): void {
    clearInterval(this.#timer);
    this.#observer.disconnect();
  }

  /** (LW1) */
  #tick(): void {
    const [fromMs, toMs] = [this.#tickedMs, performance.now()];
    const usedBefore = this.#usedMs;
    this.#tickedMs = toMs;
    this.#usedMs = threadMs();
    const delayMs = toMs - fromMs - tickMs;
    if (delayMs > this.#longest.delayMs) this.#longest = { fromMs, toMs, delayMs, usedMs: this.#usedMs - usedBefore };
  }
}

/** Processor time of this thread so far. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
