// Peer: exclusive locks on every file that a task writes, taken before the work begins and held until it has landed.
//
//   LK1. Nothing that a holder writes is written by anybody else, so its writes never conflict.
//   LK2. Reads are not locked. A landing that touched something that the task read makes its agent redo half of the work, or the
//        share that the options ask for if that is more, on the trunk of now.
//   LK3. A landing takes no time, and agents without work are woken, never polled: the peer pays for nothing but its rules.

import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { PolicyOptions, PolicyRun } from '../policy.ts';
import type { Task } from '../workload/task.ts';
import { Crew } from './crew.ts';
import { LockableTasks } from './lockable-tasks.ts';
import { TrunkLog } from './trunk-log.ts';

/** Least share of the work that is redone after a failed read (LK2). */
const leastRedone = 0.5;

type Holding = { readonly task: Task; base: number; firstProposedAtMs: number };

class LockRun {
  readonly #options: PolicyOptions;
  readonly #tally: Tally;
  readonly #crew: Crew;
  readonly #queue = new EventQueue();
  readonly #log = new TrunkLog();
  readonly #tasks: LockableTasks;
  readonly #holdings: (Holding | undefined)[] = [];

  constructor(options: PolicyOptions, inSight: number) {
    this.#options = options;
    this.#tally = new Tally(options);
    this.#crew = new Crew(this.#tally);
    this.#tasks = new LockableTasks(options.workload, options.openTasks, inSight);
  }

  run(): Tally {
    const { durationMs, progress } = this.#options;
    this.#wake(0);
    while (this.#queue.pop() && this.#queue.atMs < durationMs) {
      this.#tally.events += 1;
      this.#finish(this.#queue.subject, this.#queue.atMs);
      if (this.#tally.events % 4_096 === 0) progress?.(this.#queue.atMs);
    }
    this.#crew.end(durationMs);
    for (const open of this.#tasks.open()) this.#tally.waited(durationMs, open.openedAtMs);
    return this.#tally;
  }

  /** Agents without work take what there is (LK3). */
  #wake(nowMs: number): void {
    while (this.#crew.waiting > 0) {
      const open = this.#tasks.take(nowMs);
      if (open === null) return;
      const agent = this.#crew.send(nowMs);
      this.#tally.waited(nowMs, open.openedAtMs);
      this.#holdings[agent] = { task: open.task, base: this.#log.tip, firstProposedAtMs: -1 };
      this.#work(agent, nowMs, open.task.workMs, false);
    }
  }

  #work(agent: number, nowMs: number, workMs: number, redone: boolean): void {
    this.#tally.work(nowMs, nowMs + workMs, redone);
    this.#queue.push(nowMs + workMs, 0, agent, 0);
  }

  #finish(agent: number, nowMs: number): void {
    const holding = this.#holdings[agent] as Holding;
    const { task } = holding;
    if (holding.firstProposedAtMs < 0) holding.firstProposedAtMs = nowMs;
    this.#tally.messaged(nowMs, 2);
    if (task.reads.some((read) => this.#log.readMoved(read, holding.base))) {
      this.#tally.returned(nowMs);
      holding.base = this.#log.tip;
      this.#work(agent, nowMs, task.workMs * Math.max(leastRedone, this.#options.redoShare), true); // (LK2)
      return;
    }
    this.#log.land(task); // Its writes are its own (LK1).
    this.#tally.landed(nowMs, holding.firstProposedAtMs);
    this.#holdings[agent] = undefined;
    this.#tasks.release(task);
    this.#crew.wait(agent, nowMs);
    this.#wake(nowMs);
  }
}

/** Locks whose agents look at the oldest `inSight` open tasks; Infinity for every open task. */
export function locksOver(inSight: number): PolicyRun {
  return (options) => new LockRun(options, inSight).run();
}
