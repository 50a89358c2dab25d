// What an agent does when it hears, at work, that its ground has moved.
//
// Invariants:
//   HD1. Each landing is told once per lease, whether it came over the socket or with an answer.
//   HD2. Once the base was asked for, the files stay as they are.

import { openLive } from '@firetrident/client';
import type { LiveFrame, Notice } from '@firetrident/protocol';
import type { Checkout } from './checkout.ts';
import { mergeTrunk } from './merge-trunk.ts';

/**
 * `finish`: the command ends its work on what it began with; what has become stale comes back and is repaired. `merge`:
 * what landed is merged into the files at once where that is clean, and the work counts as done on that.
 */
export type HeadsUpPolicy = 'merge' | 'finish';

/** What an agent is told of its lease. */
export interface HeardHeadsUp {
  readonly paths: readonly string[];
  /** Titles of the intents that landed. */
  readonly causes: readonly string[];
  /** Whether all of it is in the files now. */
  readonly merged: boolean;
}

interface Work {
  readonly lease: string;
  readonly checkout: Checkout;
  base: string;
  readonly tell: (heard: HeardHeadsUp) => void;
}

type Told = Pick<Notice, 'lease' | 'trunk' | 'landings'>;

/** Where an agent listens, and what it then does. */
export interface HeadsUpSettings {
  readonly url: string;
  readonly token: string;
  readonly colony: string;
  readonly policy: HeadsUpPolicy;
}

/** The ears of one agent. */
export class HeadsUpDesk {
  readonly #policy: HeadsUpPolicy;
  readonly #live: { close(): void };
  #work: Work | null = null;
  /** The lease whose work is about to begin, and what came for it already. */
  #expected: string | null = null;
  #early: Told[] = [];
  #heard = new Set<string>();
  #merging: Promise<void> = Promise.resolve();

  constructor({ url, token, colony, policy }: HeadsUpSettings) {
    this.#policy = policy;
    const onFrame = (frame: LiveFrame) => {
      if (frame.type === 'heads-up') this.hear([frame]);
    };
    this.#live = openLive({ url, token, colony, onFrame });
  }

  /** An intent was taken: what comes before its files are there is kept. */
  expect(lease: string): void {
    this.#heard = new Set();
    this.#expected = lease;
    this.#early = [];
  }

  /** A command is about to work on files at a commit. */
  begin(work: Work): void {
    this.#work = { ...work };
    const early = this.#early;
    this.#expected = null;
    this.#early = [];
    this.hear(early);
  }

  /** The commit that the files of the work at hand are based on; null between two. */
  get base(): string | null {
    return this.#work?.base ?? null;
  }

  /** The command has ended: the commit that its files are based on now (HD2). */
  async end(): Promise<string> {
    const work = this.#work;
    this.#work = null;
    await this.#merging;
    return work?.base ?? '';
  }

  /** Heads-ups came, with an answer or by themselves (HD1). */
  hear(notices: readonly Told[]): void {
    const work = this.#work;
    if (work === null) {
      this.#early.push(...notices.filter(({ lease }) => lease === this.#expected));
      return;
    }
    for (const notice of notices) {
      const landings = notice.landings.filter(({ landing }) => !this.#heard.has(landing));
      if (notice.lease !== work.lease || landings.length === 0) continue;
      for (const { landing } of landings) this.#heard.add(landing);
      const paths = [...new Set(landings.flatMap((one) => one.paths.map(({ path = '(not text)' }) => path)))];
      const causes = [...new Set(landings.map(({ intent }) => intent.title))];
      if (this.#policy === 'finish') work.tell({ paths, causes, merged: false });
      else this.#merging = this.#merging.then(() => this.#merge(work, notice.trunk, paths, causes));
    }
  }

  close(): void {
    this.#work = null;
    this.#live.close();
  }

  async #merge(work: Work, trunk: string, paths: readonly string[], causes: readonly string[]): Promise<void> {
    // A merge that cannot be done, for whatever reason, leaves the work to be repaired later.
    const merged = this.#work?.lease === work.lease && (await mergeTrunk(work.checkout.tree, work.base, trunk));
    if (merged) {
      work.base = trunk;
      work.checkout.rebased(trunk);
    }
    work.tell({ paths, causes, merged });
  }
}
