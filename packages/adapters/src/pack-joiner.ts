// Joining packs in a thread of its own: it reads and writes hundreds of megabytes, which whoever lands must not wait for.

import { Worker } from 'node:worker_threads';
import type { JoinOutcome, PackJoiner } from '@firetrident/trunk';

/** Young generation of the thread's heap, in MiB: what it handles lies outside of the heap. */
const youngMb = 4;

/** What the thread is started with. */
export interface JoinRequest {
  readonly packFolder: string;
  readonly packNames: readonly string[];
}

/** PackJoiner port on worker threads. Rejects with the disk's error, or when the thread is lost. */
export class ThreadPackJoiner implements PackJoiner {
  join(packFolder: string, packNames: readonly string[]): Promise<JoinOutcome> {
    const workerData: JoinRequest = { packFolder, packNames };
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb };
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./pack-join-entry.mjs', import.meta.url), { workerData, resourceLimits });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the thread that joins packs ended with code ${code}`)));
    });
  }
}
