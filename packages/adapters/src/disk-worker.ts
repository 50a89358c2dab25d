// The thread that works on the disk beside its owner: writes files, syncs them side by side, renames.
//
// One request at a time, in shared memory; disk-thread.ts is the other end and describes the layout.

import { closeSync, fsync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { never } from '@firetrident/base';
import { answerRequest, type CrossingStep, type DiskChannel, nextRequest, type StepFailure } from './disk-thread.ts';

const channel = workerData as DiskChannel;

function failureOf(operation: string, path: string, error: unknown): StepFailure {
  return { operation, path, code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
}

/** Opens one file after another, which is quick, and syncs them side by side, which is not: the first one itself. */
async function syncPaths(paths: readonly string[]): Promise<StepFailure | null> {
  const [first, ...others] = paths;
  if (first === undefined) return null;
  const theirs = others.map(syncAside);
  const own = attempted('sync', first, () => {
    const descriptor = openSync(first, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
  const failures = await Promise.all(theirs);
  return own ?? failures.find((failure) => failure !== null) ?? null;
}

async function syncAside(path: string): Promise<StepFailure | null> {
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

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}

function writeAnew(path: string, bytes: Uint8Array): void {
  remove(path);
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

async function perform(step: CrossingStep, bytes: Uint8Array): Promise<StepFailure | null> {
  switch (step.kind) {
    case 'write':
      return attempted('write', step.path, () => writeAnew(step.path, bytes));
    case 'sync':
      return syncPaths([...step.files, ...step.directories]);
    case 'rename':
      return attempted('rename', step.to, () => renameSync(step.from, step.to));
    case 'remove':
      return attempted('remove', step.path, () => remove(step.path));
    default:
      return never(step);
  }
}

for (;;) {
  const { steps, contents } = nextRequest(channel);
  let failure: StepFailure | null = null;
  let at = 0;
  for (const step of steps) {
    const length = step.kind === 'write' ? step.length : 0;
    failure = await perform(step, contents.subarray(at, at + length));
    if (failure) break;
    at += length;
  }
  answerRequest(channel, failure);
}
