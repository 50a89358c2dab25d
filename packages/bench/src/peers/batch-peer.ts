// Batches in order of arrival, as bors has them: what waits is merged together, checked once and pushed once.
//
//   BP1. One batch at a time. What conflicts with trunk or with the batch before it goes back to its agent.
//   BP2. A batch that fails is cut in halves; a change that fails alone, twice, goes back to its agent.

import type { Peer, PeerSurroundings, Queued } from './peer.ts';
import { QueuePeer } from './queue-peer.ts';
import { QueueRepository } from './queue-repository.ts';

/** Merges what waits in batches. */
export class BatchPeer extends QueuePeer {
  static async open(surroundings: PeerSurroundings): Promise<Peer> {
    return new BatchPeer(surroundings, await QueueRepository.open(surroundings), surroundings.plan.batch);
  }

  /** Lands a batch or finds out what is wrong with it (BP2). */
  protected override async bring(batch: readonly Queued[]): Promise<void> {
    if (batch.length === 0 || this.queue.isOver) return;
    const made = await this.repository.imports.landAll(
      this.tip,
      batch.map(({ submission }) => submission),
    );
    const merged = batch.filter((_, index) => made[index] !== null);
    for (const [index, { tell }] of batch.entries()) if (made[index] === null) tell('conflict'); // (BP1)
    const commit = made.findLast((each) => each !== null);
    if (commit === undefined || commit === null) return;
    const { checks } = this.surroundings;
    const broken = merged.some(({ submission }) => submission.broken);
    const passed = merged.length === 1 ? await checks.runTwice(broken) : await checks.run(broken);
    if (passed) {
      await this.advance(commit);
      for (const { tell } of merged) tell('landed');
    } else if (merged.length === 1) {
      merged[0]?.tell('failed');
    } else {
      const half = Math.ceil(merged.length / 2);
      await this.bring(merged.slice(0, half));
      await this.bring(merged.slice(half));
    }
  }
}
