// What a way of landing looks like to its agents, and what all of them share.

import type { GitUse } from '../live/git-use.ts';
import type { Checks } from './checks.ts';
import type { BasedChange } from './commit-stream.ts';
import type { PeersPlan } from './plan.ts';

/** What became of a change: on trunk, in conflict with trunk, or failed in its check. */
export type PeerOutcome = 'landed' | 'conflict' | 'failed';

/** A change that asks to land. */
export interface Submission extends BasedChange {
  /** Whether its check must fail. */
  readonly broken: boolean;
}

/** A way of landing at work. */
export interface Peer {
  /** Trunk as an agent that begins now sees it. */
  readonly tip: string;
  /** Brings a change to its outcome. */
  land(submission: Submission): Promise<PeerOutcome>;
  /** Ends after what is under way; what still waits is left. */
  stop(): Promise<void>;
}

/** What a peer is made of. */
export interface PeerSurroundings {
  readonly plan: PeersPlan;
  readonly use: GitUse;
  readonly checks: Checks;
  /** The bare repository whose `main` is trunk. */
  readonly trunk: string;
  /** First commit of trunk. */
  readonly root: string;
  /** A directory for whatever the peer needs. */
  readonly directory: string;
}

/** Submissions that wait for their turn, with who hears of them. */
export interface Queued {
  readonly submission: Submission;
  readonly tell: (outcome: PeerOutcome) => void;
  readonly fail: (error: unknown) => void;
}

/** Changes in the order of their arrival, and somebody who works through them. */
export class ArrivalQueue {
  readonly #waiting: Queued[] = [];
  #wake = (): void => undefined;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  add(submission: Submission): Promise<PeerOutcome> {
    return new Promise((tell, fail) => {
      this.#waiting.push({ submission, tell, fail });
      this.#wake();
    });
  }

  /** The first so many, or none of them. */
  take(count: number): readonly Queued[] {
    return this.#isOver ? [] : this.#waiting.splice(0, count);
  }

  /** Resolves when something waits, or when it is over. */
  async some(): Promise<void> {
    if (this.#waiting.length > 0 || this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }
}
