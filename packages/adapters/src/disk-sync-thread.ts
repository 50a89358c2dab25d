// The thread that syncs files side by side while its owner waits.
//
// One request at a time, in shared memory; parallel-sync.ts is the other end and describes the layout.

import { closeSync, fsync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { answerSync, nextSync, type SyncChannel, type SyncFailure } from './parallel-sync.ts';

function failureOf(path: string, error: unknown): SyncFailure {
  return { path, code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
}

/** Opens one file after another, which is quick, and syncs them side by side, which is not. */
async function syncPath(path: string): Promise<SyncFailure | null> {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    return failureOf(path, error);
  }
  const failed = await new Promise<Error | null>((resolve) => fsync(descriptor, resolve));
  closeSync(descriptor);
  return failed && failureOf(path, failed);
}

const channel = workerData as SyncChannel;
for (;;) {
  const failures = await Promise.all(nextSync(channel).map(syncPath));
  answerSync(channel, failures.find((failure) => failure !== null) ?? null);
}
