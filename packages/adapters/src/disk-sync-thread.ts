// The thread that syncs files side by side while its owner waits.
//
// One request at a time, in shared memory; parallel-sync.ts is the other end and describes the layout.

import { close, fsync, open } from 'node:fs';
import { promisify } from 'node:util';
import { workerData } from 'node:worker_threads';
import { answerSync, nextSync, type SyncChannel } from './parallel-sync.ts';

const [openFile, syncFile, closeFile] = [promisify(open), promisify(fsync), promisify(close)];

async function syncPath(path: string): Promise<void> {
  const descriptor = await openFile(path, 'r');
  try {
    await syncFile(descriptor);
  } finally {
    await closeFile(descriptor);
  }
}

const channel = workerData as SyncChannel;
for (;;) {
  const paths = nextSync(channel);
  const results = await Promise.allSettled(paths.map(syncPath));
  const failed = results.findIndex(({ status }) => status === 'rejected');
  const result = results[failed];
  const reason: unknown = result?.status === 'rejected' ? result.reason : null;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : String(reason);
  answerSync(channel, failed < 0 ? null : { path: paths[failed] ?? '', code });
}
