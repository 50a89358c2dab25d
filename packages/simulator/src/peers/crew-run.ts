// Agents that take one task after the other, work, propose, and do again what came back: the loop of peers whose landings take no time.
//
// It never knows what keeps a task from an agent, nor what makes a proposal stale: the rules of the peer say so.
//
//   AT1. A landing takes no time, and agents without work are woken, never polled: the peer pays for nothing but its rules.
//   AT2. Work that came back is done again under the same attempt, for as long as the rules say.

import { defined } from '@firetrident/base';
import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import type { Task } from '../workload/task.ts';
import { Crew } from './crew.ts';

/** A task that an agent works on. */
export interface Attempt {
  readonly task: Task;
  readonly openedAtMs: number;
}

/** The rules of a peer. */
export interface PeerRules<A extends Attempt> {
  /** What the next agent takes; null when there is nothing for any. */
  readonly take: (nowMs: number) => A | null;
  /** Milliseconds that are worked again when the proposal of an attempt comes back; null when it lands. */
  readonly propose: (attempt: A) => number | null;
  /** The attempt has landed, and lets go of what it held. */
  readonly landed: (attempt: A) => void;
  /** Books the waits of tasks that nobody took before the end. */
  readonly end: (tally: Tally, durationMs: number) => void;
}

class CrewRun<A extends Attempt> {
  readonly #options: PolicyOptions;
  readonly #rules: PeerRules<A>;
  readonly #tally: Tally;
  readonly #crew: Crew;
  readonly #queue = new EventQueue();
  readonly #attempts: ({ readonly attempt: A; firstProposedAtMs: number } | undefined)[] = [];

  constructor(options: PolicyOptions, rules: PeerRules<A>) {
    this.#options = options;
    this.#rules = rules;
    this.#tally = new Tally(options);
    this.#crew = new Crew(this.#tally);
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
    this.#rules.end(this.#tally, durationMs);
    return this.#tally;
  }

  /** Agents without work take what there is (AT1). */
  #wake(nowMs: number): void {
    while (this.#crew.waiting > 0) {
      const attempt = this.#rules.take(nowMs);
      if (attempt === null) return;
      const agent = this.#crew.send(nowMs);
      this.#tally.waited(nowMs, attempt.openedAtMs);
      this.#attempts[agent] = { attempt, firstProposedAtMs: -1 };
      this.#work(agent, nowMs, attempt.task.workMs, false);
    }
  }

  #work(agent: number, nowMs: number, workMs: number, redone: boolean): void {
    this.#tally.work(nowMs, nowMs + workMs, redone);
    this.#queue.push(nowMs + workMs, 0, agent, 0);
  }

  #finish(agent: number, nowMs: number): void {
    const working = defined(this.#attempts[agent], 'what the agent works on');
    const { attempt } = working;
    if (working.firstProposedAtMs < 0) working.firstProposedAtMs = nowMs;
    this.#tally.messaged(nowMs, 2);
    const againMs = this.#rules.propose(attempt);
    if (againMs !== null) {
      this.#tally.returned(nowMs);
      this.#work(agent, nowMs, againMs, true); // (AT2)
      return;
    }
    this.#tally.landed(nowMs, working.firstProposedAtMs);
    this.#attempts[agent] = undefined;
    this.#rules.landed(attempt);
    this.#crew.wait(agent, nowMs);
    this.#wake(nowMs);
  }
}

/** Runs a peer by its rules to the end of its time. */
export function runCrew<A extends Attempt>(options: PolicyOptions, rules: PeerRules<A>): Tally {
  return new CrewRun(options, rules).run();
}
