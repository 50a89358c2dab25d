// Peer: optimistic landing with claims, as a system of this kind was published: whole files, a short scan, a fixed admission.
//
//   PR1. A take looks at the oldest 200 open tasks, in order. It skips a region in which three agents are at work, and
//        takes the task whose files are claimed least, the oldest among equals: claims repel and do not lock.
//   PR2. A proposal is stale when any file that it read or wrote was written since its base: whole files, without a merge.
//   PR3. A stale proposal is redone in full, on the trunk of now; its claims and its place in the region stay with it.
//   PR4. As with the other peers, landing takes no time and agents without work are woken.

import { regionOfPaths } from '@firetrident/core';
import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import type { Task } from '../workload/task.ts';
import { Crew } from './crew.ts';
import { OpenLine } from './open-line.ts';
import { TrunkLog } from './trunk-log.ts';

/** Open tasks that a take looks at, and agents that a region admits (PR1). */
const inSight = 200;
const admitted = 3;
/** Folders that make a region, below the folder of a copy. */
const regionDepth = 2;
const noPackages: ReadonlySet<string> = new Set();

type Offer = { readonly task: Task; readonly region: string; readonly openedAtMs: number };
type Attempt = { readonly offer: Offer; base: number; firstProposedAtMs: number };

class PublishedRun {
  readonly #options: PolicyOptions;
  readonly #tally: Tally;
  readonly #crew: Crew;
  readonly #queue = new EventQueue();
  readonly #log = new TrunkLog();
  readonly #line: OpenLine;
  /** Open tasks in sight, oldest first. */
  readonly #offers: Offer[] = [];
  readonly #attempts: (Attempt | undefined)[] = [];
  readonly #claims = new Map<number, number>();
  readonly #atWork = new Map<string, number>();

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#tally = new Tally(options);
    this.#crew = new Crew(this.#tally);
    const sighted = Math.min(inSight, options.openTasks);
    this.#line = new OpenLine(options.workload, Math.max(1, options.openTasks - sighted));
    for (let index = 0; index < sighted; index += 1) this.#offer(0);
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
    for (const { openedAtMs } of this.#offers) this.#tally.waited(durationMs, openedAtMs);
    this.#line.end(durationMs, this.#tally);
    return this.#tally;
  }

  /** The next task comes into sight. */
  #offer(nowMs: number): void {
    const { task, openedAtMs } = this.#line.take(nowMs);
    const paths = task.files.map((file) => file.path);
    this.#offers.push({ task, region: regionOfPaths(paths, regionDepth, noPackages), openedAtMs });
  }

  /** The place of the task to take, -1 when every region is full (PR1). */
  #choice(): number {
    let least = -1;
    let leastClaims = Number.POSITIVE_INFINITY;
    for (const [index, { task, region }] of this.#offers.entries()) {
      if ((this.#atWork.get(region) ?? 0) >= admitted) continue;
      let claims = 0;
      for (const { pathId } of task.files) claims += this.#claims.get(pathId) ?? 0;
      if (claims >= leastClaims) continue;
      least = index;
      leastClaims = claims;
      if (claims === 0) break;
    }
    return least;
  }

  #wake(nowMs: number): void {
    while (this.#crew.waiting > 0) {
      const index = this.#choice();
      if (index < 0) return;
      const [offer] = this.#offers.splice(index, 1) as [Offer];
      this.#offer(nowMs);
      const agent = this.#crew.send(nowMs);
      this.#tally.waited(nowMs, offer.openedAtMs);
      this.#count(offer, 1);
      this.#attempts[agent] = { offer, base: this.#log.tip, firstProposedAtMs: -1 };
      this.#work(agent, nowMs, false);
    }
  }

  /** An agent begins (1) or ends (−1) work on a task. */
  #count(offer: Offer, change: 1 | -1): void {
    this.#atWork.set(offer.region, (this.#atWork.get(offer.region) ?? 0) + change);
    for (const { pathId } of offer.task.files) this.#claims.set(pathId, (this.#claims.get(pathId) ?? 0) + change);
  }

  #work(agent: number, nowMs: number, redone: boolean): void {
    const { workMs } = (this.#attempts[agent] as Attempt).offer.task;
    this.#tally.work(nowMs, nowMs + workMs, redone);
    this.#queue.push(nowMs + workMs, 0, agent, 0);
  }

  #isStale({ offer, base }: Attempt): boolean {
    const { files, reads } = offer.task;
    const moved = ({ pathId }: { pathId: number }) => this.#log.fileMoved(pathId, base);
    return files.some(moved) || reads.some(moved); // (PR2)
  }

  #finish(agent: number, nowMs: number): void {
    const attempt = this.#attempts[agent] as Attempt;
    if (attempt.firstProposedAtMs < 0) attempt.firstProposedAtMs = nowMs;
    this.#tally.messaged(nowMs, 2);
    if (this.#isStale(attempt)) {
      this.#tally.returned(nowMs);
      attempt.base = this.#log.tip;
      this.#work(agent, nowMs, true); // (PR3)
      return;
    }
    this.#log.land(attempt.offer.task); // (PR4)
    this.#tally.landed(nowMs, attempt.firstProposedAtMs);
    this.#attempts[agent] = undefined;
    this.#count(attempt.offer, -1);
    this.#crew.wait(agent, nowMs);
    this.#wake(nowMs);
  }
}

/** The rules of the published system. */
export function runPublishedRules(options: PolicyOptions): Tally {
  return new PublishedRun(options).run();
}
