// Batches in order of arrival, as bors has them: what waits is merged together, checked once and pushed once.
//
//   BP1. One batch at a time. What conflicts with trunk or with the batch before it goes back to its agent.
//   BP2. A batch that fails is cut in halves; a change that fails alone, twice, goes back to its agent.

import {
  ArrivalQueue,
  type Peer,
  type PeerOutcome,
  type PeerSurroundings,
  type Queued,
  type Submission,
} from './peer.ts';
import { QueueRepository } from './queue-repository.ts';

/** Merges what waits in batches. */
export class BatchPeer implements Peer {
  tip: string;
  readonly #surroundings: PeerSurroundings;
  readonly #repository: QueueRepository;
  readonly #queue = new ArrivalQueue();
  readonly #working: Promise<void>;

  private constructor(surroundings: PeerSurroundings, repository: QueueRepository) {
    this.tip = surroundings.root;
    this.#surroundings = surroundings;
    this.#repository = repository;
    this.#working = this.#work();
  }

  static async open(surroundings: PeerSurroundings): Promise<Peer> {
    return new BatchPeer(surroundings, await QueueRepository.open(surroundings));
  }

  land(submission: Submission): Promise<PeerOutcome> {
    return this.#queue.add(submission);
  }

  async stop(): Promise<void> {
    this.#queue.end();
    await this.#working;
    await this.#repository.imports.close();
  }

  async #work(): Promise<void> {
    while (!this.#queue.isOver) {
      await this.#queue.some();
      const batch = this.#queue.take(this.#surroundings.plan.batch);
      try {
        await this.#bring(batch);
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
  }

  /** Lands a batch or finds out what is wrong with it (BP2). */
  async #bring(batch: readonly Queued[]): Promise<void> {
    if (batch.length === 0 || this.#queue.isOver) return;
    const made = await this.#repository.imports.landAll(
      this.tip,
      batch.map(({ submission }) => submission),
    );
    const merged = batch.filter((_, index) => made[index] !== null);
    for (const [index, { tell }] of batch.entries()) if (made[index] === null) tell('conflict'); // (BP1)
    const commit = made.findLast((each) => each !== null);
    if (commit === undefined || commit === null) return;
    const { checks } = this.#surroundings;
    const broken = merged.some(({ submission }) => submission.broken);
    const passed = merged.length === 1 ? await checks.runTwice(broken) : await checks.run(broken);
    if (passed) {
      await this.#repository.push(commit);
      this.tip = commit;
      for (const { tell } of merged) tell('landed');
    } else if (merged.length === 1) {
      merged[0]?.tell('failed');
    } else {
      const half = Math.ceil(merged.length / 2);
      await this.#bring(merged.slice(0, half));
      await this.#bring(merged.slice(half));
    }
  }
}
