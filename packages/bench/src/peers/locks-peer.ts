// Exclusive file locks and a merge in order of arrival: each change is merged alone and pushed by a push of its own.
//
//   LK1. Whoever holds the lock of a file is alone on it until its change is on trunk, so that nothing ever conflicts.
//   LK2. A change is checked by its agent, on its base, under its lock: all agents at the same time, as places allow.

import type { Peer, PeerOutcome, PeerSurroundings, Queued, Submission } from './peer.ts';
import { QueuePeer } from './queue-peer.ts';
import { QueueRepository } from './queue-repository.ts';

/** Merges one change after the other. */
export class LocksPeer extends QueuePeer {
  static async open(surroundings: PeerSurroundings): Promise<Peer> {
    return new LocksPeer(surroundings, await QueueRepository.open(surroundings), 1);
  }

  override async land(submission: Submission): Promise<PeerOutcome> {
    // (LK2)
    if (!(await this.surroundings.checks.runTwice(submission.broken))) return 'failed';
    return super.land(submission);
  }

  protected override async bring(taken: readonly Queued[]): Promise<void> {
    for (const { submission, tell } of taken) {
      const [commit] = await this.repository.imports.landAll(this.tip, [submission]);
      // (LK1) says that this does not happen.
      if (commit === null || commit === undefined)
        throw new Error(`${submission.change.path} conflicts under its lock`);
      await this.advance(commit);
      tell('landed');
    }
  }
}
