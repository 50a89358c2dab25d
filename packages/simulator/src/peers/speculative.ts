// Peer: a chain of proposals, each checked on top of all that are ahead of it, all at once.
//
//   SP1. The chain holds the oldest proposals that merge with trunk and with what is ahead. What does not merge with trunk goes back
//        at once; what does not merge with something ahead waits for it, and others of the oldest 200 may pass.
//   SP2. A check runs on trunk and everything ahead. Green ones land from the head; a red one leaves the chain, and the checks of
//        all behind it begin again.

import type { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import { ChangesAhead } from './changes-ahead.ts';
import { type LandingQueue, type Proposal, QueueRun } from './queue-run.ts';

/** Proposals whose checks run at the same time. */
const chainAtMost = 100;
/** Proposals that are looked at for the end of the chain (SP1). */
const lookedAtMost = 200;

type Link = { readonly proposal: Proposal; stamp: number; green: boolean };

class ChainQueue implements LandingQueue {
  readonly #run: QueueRun;
  readonly #queue: Proposal[] = [];
  readonly #chain: Link[] = [];
  readonly #byAgent: (Link | undefined)[] = [];
  #stamp = 0;

  constructor(run: QueueRun) {
    this.#run = run;
  }

  propose(proposal: Proposal, nowMs: number): void {
    this.#queue.push(proposal);
    this.#extend(nowMs);
  }

  alarm(agent: number, stamp: number, nowMs: number): void {
    const link = this.#byAgent[agent];
    // A check that began again has another alarm.
    if (link === undefined || link.stamp !== stamp) return;
    const index = this.#chain.indexOf(link);
    if (this.#isRed(index)) this.#drop(index, nowMs);
    else link.green = true;
    while (this.#chain[0]?.green === true) {
      const head = this.#chain.shift() as Link;
      this.#byAgent[head.proposal.agent] = undefined;
      this.#run.land(head.proposal, nowMs);
    }
    this.#extend(nowMs);
  }

  #ahead(index: number): ChangesAhead {
    const ahead = new ChangesAhead();
    for (const { proposal } of this.#chain.slice(0, index)) ahead.add(proposal.task);
    return ahead;
  }

  #isRed(index: number): boolean {
    const { proposal } = this.#chain[index] as Link;
    return this.#run.isBroken(proposal, this.#ahead(index));
  }

  /** A red link leaves, and all behind it are checked again (SP2). */
  #drop(index: number, nowMs: number): void {
    const [link] = this.#chain.splice(index, 1) as [Link];
    this.#byAgent[link.proposal.agent] = undefined;
    for (const behind of this.#chain.slice(index)) this.#check(behind, nowMs);
    this.#run.giveBack(link.proposal, nowMs);
  }

  #check(link: Link, nowMs: number): void {
    this.#stamp = (this.#stamp + 1) & 0x7fffffff;
    link.stamp = this.#stamp;
    link.green = false;
    this.#run.startCheck(nowMs, link.proposal.agent, link.stamp);
  }

  /** Proposals join the end of the chain while there is room (SP1). */
  #extend(nowMs: number): void {
    if (this.#chain.length >= chainAtMost || this.#queue.length === 0) return;
    const ahead = this.#ahead(this.#chain.length);
    const waiting: Proposal[] = [];
    const looked = this.#queue.splice(0, lookedAtMost);
    for (const proposal of looked) {
      if (this.#chain.length >= chainAtMost || ahead.conflictWith(proposal.task)) waiting.push(proposal);
      else if (this.#run.merges(proposal)) {
        this.#join(proposal, nowMs);
        ahead.add(proposal.task);
      } else this.#run.giveBack(proposal, nowMs);
    }
    this.#queue.unshift(...waiting);
  }

  #join(proposal: Proposal, nowMs: number): void {
    const link: Link = { proposal, stamp: 0, green: false };
    this.#chain.push(link);
    this.#byAgent[proposal.agent] = link;
    this.#check(link, nowMs);
  }
}

/** A speculative chain. */
export function runSpeculative(options: PolicyOptions): Tally {
  return new QueueRun(options).run((run) => new ChainQueue(run));
}
