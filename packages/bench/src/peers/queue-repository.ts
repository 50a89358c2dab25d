// A queue that stands beside trunk: a bare repository of its own, from which it pushes.
//
//   QR1. A push moves trunk from the tip that the queue knows and from no other; nobody else pushes.

import { join } from 'node:path';
import { CommitStream } from './commit-stream.ts';
import type { PeerSurroundings } from './peer.ts';

/** The repository of a queue. */
export class QueueRepository {
  readonly imports: CommitStream;
  readonly #surroundings: PeerSurroundings;
  readonly #directory: string;

  private constructor(surroundings: PeerSurroundings, directory: string) {
    this.#surroundings = surroundings;
    this.#directory = directory;
    this.imports = new CommitStream(surroundings.use, directory, 'refs/bench/queue');
  }

  /** Clones trunk. */
  static async open(surroundings: PeerSurroundings): Promise<QueueRepository> {
    const directory = join(surroundings.directory, 'queue.git');
    await surroundings.use.run(surroundings.directory, ['clone', '--quiet', '--bare', surroundings.trunk, directory]);
    return new QueueRepository(surroundings, directory);
  }

  /** Moves trunk to a commit (QR1). */
  async push(commit: string): Promise<void> {
    await this.imports.checkpoint();
    const { use, trunk } = this.#surroundings;
    await use.run(this.#directory, ['push', '--quiet', trunk, `${commit}:refs/heads/main`]);
  }
}
