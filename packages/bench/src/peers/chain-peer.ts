// A speculative chain, as the merge queues of GitHub and Zuul have it: each change is merged on everything ahead of it and
// checked at once, as if all of that landed.
//
//   CP1. Trunk moves over all that has passed at the head of the chain, in one move.
//   CP2. The first that fails with nothing undecided ahead of it is checked once more, and goes back to its agent when that
//        fails too. Everything behind it is merged and checked again.
//   CP3. The queue lives in the repository of trunk, as a forge's does: it pushes nothing and moves the reference itself.

import { GitConversation, readLine } from '../live/git-use.ts';
import { CommitStream } from './commit-stream.ts';
import {
  ArrivalQueue,
  type Peer,
  type PeerOutcome,
  type PeerSurroundings,
  type Queued,
  type Submission,
} from './peer.ts';

interface Link {
  readonly queued: Queued;
  /** Merged on everything ahead; null until it is. */
  commit: string | null;
  verdict: 'none' | 'running' | 'passed' | 'failed';
  again: boolean;
  stop: AbortController;
}

/** Lands by a chain. */
export class ChainPeer implements Peer {
  readonly #surroundings: PeerSurroundings;
  readonly #imports: CommitStream;
  readonly #references: GitConversation;
  readonly #queue = new ArrivalQueue();
  readonly #working: Promise<void>;
  #trunk: string;
  #chain: Link[] = [];
  #news = (): void => undefined;
  #hasNews = false;

  private constructor(surroundings: PeerSurroundings) {
    const { root, use, trunk } = surroundings;
    this.#trunk = root;
    this.#surroundings = surroundings;
    this.#imports = new CommitStream(use, trunk, 'refs/bench/queue');
    this.#references = new GitConversation(use, trunk, ['update-ref', '--stdin']);
    this.#working = this.#work();
  }

  static async open(surroundings: PeerSurroundings): Promise<Peer> {
    return new ChainPeer(surroundings);
  }

  /** The end of the chain: who begins on it does not conflict with what is ahead. */
  get tip(): string {
    return this.#chain.findLast(({ commit }) => commit !== null)?.commit ?? this.#trunk;
  }

  land(submission: Submission): Promise<PeerOutcome> {
    const outcome = this.#queue.add(submission);
    this.#tell();
    return outcome;
  }

  async stop(): Promise<void> {
    this.#queue.end();
    this.#tell();
    await this.#working;
    for (const { stop } of this.#chain) stop.abort();
    await Promise.all([this.#imports.close(), this.#references.close()]);
  }

  async #work(): Promise<void> {
    while (!this.#queue.isOver) {
      try {
        this.#admit();
        await this.#merge();
        if (await this.#settle()) continue;
      } catch (error) {
        for (const { queued } of this.#chain.splice(0)) queued.fail(error);
      }
      await this.#someNews();
    }
  }

  #admit(): void {
    const free = this.#surroundings.plan.window - this.#chain.length;
    for (const queued of this.#queue.take(free)) {
      this.#chain.push({ queued, commit: null, verdict: 'none', again: false, stop: new AbortController() });
    }
  }

  /** Merges what is not merged yet and begins its checks. */
  async #merge(): Promise<void> {
    const from = this.#chain.findIndex(({ commit }) => commit === null);
    if (from === -1) return;
    const links = this.#chain.slice(from);
    const onto = this.#chain[from - 1]?.commit ?? this.#trunk;
    const made = await this.#imports.landAll(
      onto,
      links.map(({ queued }) => queued.submission),
    );
    for (const [index, link] of links.entries()) {
      link.commit = made[index] ?? null;
      if (link.commit === null) link.queued.tell('conflict');
      else this.#check(link);
    }
    this.#chain = this.#chain.filter(({ commit }) => commit !== null);
  }

  #check(link: Link): void {
    const { checks } = this.#surroundings;
    if (!checks.areOn) {
      link.verdict = 'passed';
      return;
    }
    const ahead = this.#chain.slice(0, this.#chain.indexOf(link) + 1);
    const broken = ahead.some(({ queued, commit }) => commit !== null && queued.submission.broken);
    const { stop } = link;
    link.verdict = 'running';
    checks.run(broken, stop.signal).then(
      (passed) => {
        link.verdict = passed ? 'passed' : 'failed';
        this.#tell();
      },
      (error: unknown) => {
        // Only a chain that was merged again stops a check.
        if (!stop.signal.aborted) link.queued.fail(error);
      },
    );
  }

  /** Lands and sends back what is decided; whether anything was (CP1, CP2). */
  async #settle(): Promise<boolean> {
    const undecided = this.#chain.findIndex(({ verdict }) => verdict !== 'passed');
    const passed = this.#chain.splice(0, undecided === -1 ? this.#chain.length : undecided);
    const last = passed.at(-1)?.commit;
    if (last !== undefined && last !== null) {
      await this.#move(last);
      for (const { queued } of passed) queued.tell('landed');
    }
    const head = this.#chain[0];
    if (head?.verdict !== 'failed') return passed.length > 0;
    if (!head.again) {
      head.again = true;
      this.#check(head);
      return passed.length > 0;
    }
    this.#chain.shift();
    head.queued.tell('failed');
    for (const link of this.#chain) {
      link.stop.abort();
      link.stop = new AbortController();
      Object.assign(link, { commit: null, verdict: 'none', again: false });
    }
    return true;
  }

  /** (CP3) */
  async #move(commit: string): Promise<void> {
    await this.#imports.checkpoint();
    const moving = `start\nupdate refs/heads/main ${commit} ${this.#trunk}\ncommit\n`;
    const [started, committed] = await Promise.all([
      this.#references.ask(moving, readLine),
      this.#references.ask('', readLine),
    ]);
    if (started !== 'start: ok' || committed !== 'commit: ok') throw new Error(`trunk did not move: ${committed}`);
    this.#trunk = commit;
  }

  #tell(): void {
    this.#hasNews = true;
    this.#news();
  }

  async #someNews(): Promise<void> {
    if (!this.#hasNews) {
      await new Promise<void>((resolve) => {
        this.#news = resolve;
      });
    }
    this.#hasNews = false;
  }
}
