// The thread that works on the disk beside its owner: writes files, syncs them side by side, renames.
//
// One request at a time, in shared memory; disk-thread.ts is the other end and describes the layout.

import { closeSync, fsync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { never } from '@firetrident/base';
import { answerRequest, type CrossingStep, type DiskChannel, nextRequest, type StepFailure } from './disk-thread.ts';

const channel = workerData as DiskChannel;

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

async function perform(step: CrossingStep): Promise<StepFailure | null> {
  switch (step.kind) {
    case 'write':
      return attempted('write', step.path, () => writeAnew(step.path, Buffer.from(step.base64, 'base64')));
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
