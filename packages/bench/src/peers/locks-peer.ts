// Exclusive file locks and a merge in order of arrival: each change is merged alone and pushed by a push of its own.
//
//   LK1. Whoever holds the lock of a file is alone on it until its change is on trunk, so that nothing ever conflicts.
//   LK2. A change is checked by its agent, on its base, under its lock: all agents at the same time, as places allow.

import { ArrivalQueue, type Peer, type PeerOutcome, type PeerSurroundings, type Submission } from './peer.ts';
import { QueueRepository } from './queue-repository.ts';

/** Merges one change after the other. */
export class LocksPeer implements Peer {
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
    return new LocksPeer(surroundings, await QueueRepository.open(surroundings));
  }

  async land(submission: Submission): Promise<PeerOutcome> {
    // (LK2)
    if (!(await this.#surroundings.checks.runTwice(submission.broken))) return 'failed';
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
      for (const { submission, tell, fail } of this.#queue.take(1)) {
        try {
          const [commit] = await this.#repository.imports.landAll(this.tip, [submission]);
          // (LK1) says that this does not happen.
          if (commit === null || commit === undefined)
            throw new Error(`${submission.change.path} conflicts under its lock`);
          await this.#repository.push(commit);
          this.tip = commit;
          tell('landed');
        } catch (error) {
          fail(error);
        }
      }
    }
  }
}
