// Open tasks in one line, oldest first, for peers that do not look beyond its beginning.
//
//   OL1. As many tasks are open as the options say: taking one opens the next of the stream.
//   OL2. A task is drawn when it is taken; until then only the time of its opening is kept.

import type { Tally } from '../measure/tally.ts';
import type { Task, Workload } from '../workload/task.ts';

/** The line of open tasks. */
export class OpenLine {
  readonly #workload: Workload;
  readonly #openedAtMs: Float64Array;
  #first = 0;

  constructor(workload: Workload, openTasks: number) {
    this.#workload = workload;
    this.#openedAtMs = new Float64Array(openTasks);
  }

  /** The oldest task leaves the line, and another is opened at its end (OL1, OL2). */
  take(nowMs: number): { readonly task: Task; readonly openedAtMs: number } {
    const openedAtMs = this.#openedAtMs[this.#first] as number;
    this.#openedAtMs[this.#first] = nowMs;
    this.#first = (this.#first + 1) % this.#openedAtMs.length;
    return { task: this.#workload.next(), openedAtMs };
  }

  /** The run ends with all of these open. */
  end(nowMs: number, tally: Tally): void {
    for (const openedAtMs of this.#openedAtMs) tally.waited(nowMs, openedAtMs);
  }
}
