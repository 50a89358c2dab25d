// A queue that works through changes in the order of their arrival, in a repository of its own beside trunk.
//
// How many it takes at once and what it does with them is another file's.

import {
  ArrivalQueue,
  type Peer,
  type PeerOutcome,
  type PeerSurroundings,
  type Queued,
  type Submission,
} from './peer.ts';
import type { QueueRepository } from './queue-repository.ts';

/** What queues beside trunk have in common. */
export abstract class QueuePeer implements Peer {
  tip: string;
  protected readonly surroundings: PeerSurroundings;
  protected readonly repository: QueueRepository;
  protected readonly queue: ArrivalQueue = new ArrivalQueue();
  readonly #takes: number;
  readonly #working: Promise<void>;

  /** `takes` changes are brought to their outcome at a time. */
  protected constructor(surroundings: PeerSurroundings, repository: QueueRepository, takes: number) {
    this.tip = surroundings.root;
    this.surroundings = surroundings;
    this.repository = repository;
    this.#takes = takes;
    this.#working = this.#work();
  }

  /** Brings changes to their outcome; what it rejects with, each of them fails with. */
  protected abstract bring(taken: readonly Queued[]): Promise<void>;

  land(submission: Submission): Promise<PeerOutcome> {
    return this.queue.add(submission);
  }

  async stop(): Promise<void> {
    this.queue.end();
    await this.#working;
    await this.repository.imports.close();
  }

  /** Moves trunk, and whoever begins now begins there. */
  protected async advance(commit: string): Promise<void> {
    await this.repository.push(commit);
    this.tip = commit;
  }

  async #work(): Promise<void> {
    while (!this.queue.isOver) {
      await this.queue.some();
      const taken = this.queue.take(this.#takes);
      try {
        await this.bring(taken);
      } catch (error) {
        for (const { fail } of taken) fail(error);
      }
    }
  }
}
