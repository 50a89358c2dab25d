// Peer: one queue that checks batches and halves those that are red, as merge bots do.
//
//   FB1. A batch is the oldest proposals that merge, one on top of the other. What does not merge with trunk goes back at once;
//        what does not merge with an older one of the batch waits for the next batch.
//   FB2. A green batch lands whole. A red one is halved, each half checked by itself, the older first; a single red one goes back.
//   FB3. One check runs at a time.

import type { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import { ChangesAhead } from './changes-ahead.ts';
import { type LandingQueue, type Proposal, QueueRun } from './queue-run.ts';

/** Proposals of a batch at most: what lands most here, of 4, 8, 16, 32 and 64. */
const batchAtMost = 64;

class BatchQueue implements LandingQueue {
  readonly #run: QueueRun;
  #queue: Proposal[] = [];
  /** Parts of the batch that wait for their check, the next one last. */
  readonly #parts: Proposal[][] = [];
  #checked: Proposal[] = [];
  #red = false;

  constructor(run: QueueRun) {
    this.#run = run;
  }

  propose(proposal: Proposal, nowMs: number): void {
    this.#queue.push(proposal);
    if (this.#checked.length === 0) this.#next(nowMs); // (FB3)
  }

  alarm(_subject: number, _stamp: number, nowMs: number): void {
    const checked = this.#checked;
    this.#checked = [];
    if (!this.#red) for (const proposal of checked) this.#run.land(proposal, nowMs);
    else if (checked.length === 1) this.#run.giveBack(checked[0] as Proposal, nowMs);
    else {
      const half = checked.length >> 1;
      this.#parts.push(checked.slice(half), checked.slice(0, half)); // (FB2)
    }
    this.#next(nowMs);
  }

  /** Starts the next check that there is something for. */
  #next(nowMs: number): void {
    while (this.#checked.length === 0) {
      const part = this.#parts.pop() ?? this.#queue.splice(0, batchAtMost);
      if (part.length === 0) return;
      this.#checked = this.#merged(part, nowMs);
      if (this.#checked.length > 0) this.#run.startCheck(nowMs, 0, 0);
    }
  }

  /** What merges of a part (FB1), having found out whether its check will be red. */
  #merged(part: readonly Proposal[], nowMs: number): Proposal[] {
    const ahead = new ChangesAhead();
    const merged: Proposal[] = [];
    const later: Proposal[] = [];
    this.#red = false;
    for (const proposal of part) {
      if (!this.#run.merges(proposal)) {
        this.#run.giveBack(proposal, nowMs);
        continue;
      }
      if (ahead.conflictWith(proposal.task)) {
        later.push(proposal);
        continue;
      }
      if (this.#run.isBroken(proposal, ahead)) this.#red = true;
      merged.push(proposal);
      ahead.add(proposal.task);
    }
    this.#queue.unshift(...later);
    return merged;
  }
}

/** A queue with batches and bisection. */
export function runFifoBatch(options: PolicyOptions): Tally {
  return new QueueRun(options).run((run) => new BatchQueue(run));
}
