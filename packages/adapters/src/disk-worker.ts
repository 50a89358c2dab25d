// The thread that works on the disk beside its owner: syncs files side by side, renames.
//
// One request at a time, in shared memory; disk-thread.ts is the other end and describes the layout.

import { closeSync, fsync, openSync, renameSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { DiskStep } from '@firetrident/trunk';
import { answerRequest, type DiskChannel, nextRequest, type StepFailure } from './disk-thread.ts';

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

async function perform(step: DiskStep): Promise<StepFailure | null> {
  if (step.kind === 'sync') {
    const failures = await Promise.all([...step.files, ...step.directories].map(syncPath));
    return failures.find((failure) => failure !== null) ?? null;
  }
  try {
    renameSync(step.from, step.to);
    return null;
  } catch (error) {
    return failureOf('rename', step.to, error);
  }
}

const channel = workerData as DiskChannel;
for (;;) {
  let failure: StepFailure | null = null;
  for (const step of nextRequest(channel)) {
    failure = await perform(step);
    if (failure) break;
  }
  answerRequest(channel, failure);
}
