// Every agent for itself: fetch, rebase, push, and again when somebody else was faster.
//
//   RB1. Each agent at work has a clone, and a process for each step, as agents on machines of their own have.
//   RB2. So many agents are at it at the same time; the others wait for their turn. More of them only reject each other.

import { join } from 'node:path';
import { commitText, importing } from './commit-stream.ts';
import type { Peer, PeerOutcome, PeerSurroundings, Submission } from './peer.ts';

/** What git says when somebody else was faster. */
const rejections = /\[rejected\]|\[remote rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to update ref/;

/** Lands by the agents' own pushes. */
export class RebasePeer implements Peer {
  tip: string;
  readonly #surroundings: PeerSurroundings;
  readonly #clones: string[];
  readonly #waiting: ((clone: string) => void)[] = [];
  readonly #busy = new Set<Promise<unknown>>();
  #rejected = 0;
  #isOver = false;

  private constructor(surroundings: PeerSurroundings, clones: string[]) {
    this.tip = surroundings.root;
    this.#surroundings = surroundings;
    this.#clones = clones;
  }

  static async open(surroundings: PeerSurroundings): Promise<RebasePeer> {
    const { use, directory, trunk, plan } = surroundings;
    const clones = Array.from({ length: plan.pushers }, (_, number) => join(directory, `agent-${number}.git`));
    for (const clone of clones) await use.run(directory, ['clone', '--quiet', '--bare', trunk, clone]);
    return new RebasePeer(surroundings, clones);
  }

  /** Pushes that somebody else was faster than. */
  get rejected(): number {
    return this.#rejected;
  }

  async land(submission: Submission): Promise<PeerOutcome> {
    if (!(await this.#surroundings.checks.runTwice(submission.broken))) return 'failed';
    const clone = this.#clones.pop() ?? (await new Promise<string>((resolve) => this.#waiting.push(resolve)));
    const pushing = this.#push(clone, submission);
    this.#busy.add(pushing);
    try {
      return await pushing;
    } finally {
      this.#busy.delete(pushing);
      const next = this.#isOver ? undefined : this.#waiting.shift();
      if (next === undefined) this.#clones.push(clone);
      else next(clone);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#busy);
  }

  /** Fetches, rebases and pushes until it is on trunk or conflicts (RB1). */
  async #push(clone: string, { base, change }: Submission): Promise<PeerOutcome> {
    const { use, trunk } = this.#surroundings;
    while (!this.#isOver) {
      await use.run(clone, ['fetch', '--quiet', trunk, '+refs/heads/main:refs/heads/main']);
      const at = await use.end(clone, ['cat-file', '--batch-check=%(objectname)'], names(base, change.path));
      const [before, now, tip = ''] = at.output.split('\n').map((line) => (line.endsWith('missing') ? '' : line));
      if (before !== now) {
        this.tip = tip;
        return 'conflict';
      }
      const importInput = `${commitText('refs/heads/work', 1, tip, change)}get-mark :1\ndone\n`;
      const commit = await use.run(clone, importing, importInput);
      const pushed = await use.end(clone, ['push', '--quiet', trunk, `${commit}:refs/heads/main`]);
      if (pushed.code === 0) {
        this.tip = commit;
        return 'landed';
      }
      if (!rejections.test(pushed.errors)) throw new Error(`a push failed: ${pushed.errors.trim()}`);
      this.#rejected += 1;
    }
    return 'conflict';
  }
}

/** What an agent asks of its clone before it rebases: its file as it saw it and as it is now, and the tip. */
function names(base: string, path: string): string {
  return `${base}:${path}\nrefs/heads/main:${path}\nrefs/heads/main\n`;
}
