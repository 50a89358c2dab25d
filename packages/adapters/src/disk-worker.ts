// The thread that works on the disk beside its owner: writes files, syncs them side by side, renames.
//
// One request at a time, in shared memory; disk-thread.ts is the other end and describes the layout.

import { closeSync, fsync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert, never } from '@firetrident/base';
import { answerRequest, type DiskThreadData, nextRequest, type SharedStep, type StepFailure } from './disk-thread.ts';

const { channel, memories } = workerData as DiskThreadData;
/** Memory that was handed over, by number. */
const known: SharedArrayBuffer[] = [];

function failureOf(operation: string, path: string, error: unknown): StepFailure {
  return { operation, path, code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
}

/** Opens one file after another, which is quick, and syncs them side by side, which is not. */
async function syncPath(path: string): Promise<StepFailure | null> {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    return failureOf('sync', path, error);
  }
  const failed = await new Promise<Error | null>((resolve) => fsync(descriptor, resolve));
  closeSync(descriptor);
  return failed && failureOf('sync', path, failed);
}

function bytesOf({ memory, offset, length }: Extract<SharedStep, { kind: 'write' }>): Uint8Array {
  while (known.length <= memory) {
    const received = receiveMessageOnPort(memories) as { readonly message: SharedArrayBuffer } | undefined;
    assert(received !== undefined, 'memory is handed over before it is named');
    known.push(received.message);
  }
  return new Uint8Array(known[memory] as SharedArrayBuffer, offset, length);
}

function writeAnew(path: string, bytes: Uint8Array): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const descriptor = openSync(path, 'wx', 0o644);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done);
  } finally {
    closeSync(descriptor);
  }
}

function attempted(operation: string, path: string, action: () => void): StepFailure | null {
  try {
    action();
    return null;
  } catch (error) {
    return failureOf(operation, path, error);
  }
}

async function perform(step: SharedStep): Promise<StepFailure | null> {
  switch (step.kind) {
    case 'write':
      return attempted('write', step.path, () => writeAnew(step.path, bytesOf(step)));
    case 'sync': {
      const failures = await Promise.all([...step.files, ...step.directories].map(syncPath));
      return failures.find((failure) => failure !== null) ?? null;
    }
    case 'rename':
      return attempted('rename', step.to, () => renameSync(step.from, step.to));
    default:
      return never(step);
  }
}

for (;;) {
  let failure: StepFailure | null = null;
  for (const step of nextRequest(channel)) {
    failure = await perform(step);
    if (failure) break;
  }
  answerRequest(channel, failure);
}
