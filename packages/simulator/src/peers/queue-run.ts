// What the peers with one queue before trunk have in common: agents that take the oldest task, propose and wait.
//
//   QR1. Agents are not kept apart: each takes the oldest open task, and waits for the outcome of what it proposed.
//   QR2. A proposal whose lines no longer merge, or whose check is red, goes back: its agent redoes half of the work, or the share
//        that the options ask for if that is more, on the trunk of now, and proposes again at the end of the queue.
//   QR3. A queue knows nothing of reads. Of the proposals whose reads were touched since their base, on trunk or ahead of them, one in
//        five is really broken, and its check is red; the others land as they are. Redoing half of one in five costs as much
//        as the least repair, a tenth, of each.
//   QR4. A check takes ten seconds and there are as many machines as it needs; merging and landing take no time.

import { RandomStream } from '@firetrident/base';
import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import type { Task } from '../workload/task.ts';
import type { ChangesAhead } from './changes-ahead.ts';
import { OpenLine } from './open-line.ts';
import { TrunkLog } from './trunk-log.ts';

/** How long a check takes (QR4). */
export const checkMs = 10_000;
/** Least share of the work that is redone after a return (QR2). */
const leastRedone = 0.5;

/** Share of the proposals with touched reads that are broken by it (QR3). */
const brokenShare = 0.2;

/** A proposal in the queue. */
export type Proposal = {
  readonly agent: number;
  readonly task: Task;
  base: number;
  /** Whether it breaks when its reads are touched: drawn for each attempt. */
  fragile: boolean;
  readonly firstProposedAtMs: number;
  proposedAtMs: number;
};

/** The queue of a peer. It is told of proposals and of its own alarms, and lands or returns what it holds. */
export type LandingQueue = {
  propose(proposal: Proposal, nowMs: number): void;
  alarm(subject: number, stamp: number, nowMs: number): void;
};

/** What a queue may do. */
export class QueueRun {
  readonly log = new TrunkLog();
  readonly #options: PolicyOptions;
  readonly #tally: Tally;
  readonly #line: OpenLine;
  readonly #events = new EventQueue();
  /** What each agent works on; its base is that of the work. */
  readonly #work: Proposal[] = [];
  readonly #random: RandomStream;
  readonly #waiting = new Set<Proposal>();

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#tally = new Tally(options);
    this.#random = new RandomStream(options.seed);
    this.#line = new OpenLine(options.workload, options.openTasks);
  }

  /** Runs to the end with the queue that `make` gives. */
  run(make: (run: QueueRun) => LandingQueue): Tally {
    const { agents, durationMs, progress } = this.#options;
    const queue = make(this);
    for (let agent = 0; agent < agents; agent += 1) this.#take(agent, 0);
    while (this.#events.pop() && this.#events.atMs < durationMs) {
      const { atMs, kind, subject, stamp } = this.#events;
      this.#tally.events += 1;
      if (this.#tally.events % 4_096 === 0) progress?.(atMs);
      if (kind === 1) queue.alarm(subject, stamp, atMs);
      else queue.propose(this.#proposed(subject, atMs), atMs);
    }
    for (const proposal of this.#waiting) this.#tally.idle(proposal.proposedAtMs, durationMs);
    this.#line.end(durationMs, this.#tally);
    return this.#tally;
  }

  /** The queue hears this alarm when a check is over. */
  startCheck(nowMs: number, subject: number, stamp: number): void {
    this.#events.push(nowMs + checkMs, 1, subject, stamp);
  }

  /** Whether the writes of the proposal still merge with trunk. */
  merges({ task, base }: Proposal): boolean {
    return !task.files.some((file) => this.log.conflicts(file, base));
  }

  /** Whether the proposal is broken on trunk with the changes that are ahead of it (QR3). */
  isBroken({ task, base, fragile }: Proposal, ahead: ChangesAhead): boolean {
    return fragile && (task.reads.some((read) => this.log.readMoved(read, base)) || ahead.moveReadsOf(task));
  }

  land(proposal: Proposal, nowMs: number): void {
    this.#answered(proposal, nowMs);
    this.log.land(proposal.task);
    this.#tally.landed(nowMs, proposal.firstProposedAtMs);
    this.#take(proposal.agent, nowMs);
  }

  /** The proposal goes back to its agent (QR2). */
  giveBack(proposal: Proposal, nowMs: number): void {
    this.#answered(proposal, nowMs);
    this.#tally.returned(nowMs);
    const redoneMs = proposal.task.workMs * Math.max(leastRedone, this.#options.redoShare);
    proposal.base = this.log.tip;
    proposal.fragile = this.#random.next() < brokenShare;
    this.#work[proposal.agent] = proposal;
    this.#tally.work(nowMs, nowMs + redoneMs, true);
    this.#events.push(nowMs + redoneMs, 0, proposal.agent, 0);
  }

  /** The agent takes the oldest task (QR1). */
  #take(agent: number, nowMs: number): void {
    const { task, openedAtMs } = this.#line.take(nowMs);
    const doneAtMs = nowMs + task.workMs;
    this.#tally.messaged(nowMs, 2);
    this.#tally.waited(nowMs, openedAtMs);
    this.#tally.work(nowMs, doneAtMs, false);
    const fragile = this.#random.next() < brokenShare;
    const [base, firstProposedAtMs, proposedAtMs] = [this.log.tip, doneAtMs, doneAtMs];
    this.#work[agent] = { agent, task, base, fragile, firstProposedAtMs, proposedAtMs };
    this.#events.push(doneAtMs, 0, agent, 0);
  }

  #proposed(agent: number, nowMs: number): Proposal {
    const proposal = this.#work[agent] as Proposal;
    proposal.proposedAtMs = nowMs;
    this.#waiting.add(proposal);
    this.#tally.messaged(nowMs, 1);
    return proposal;
  }

  #answered(proposal: Proposal, nowMs: number): void {
    this.#waiting.delete(proposal);
    this.#tally.messaged(nowMs, 1);
    this.#tally.idle(proposal.proposedAtMs, nowMs);
  }
}
