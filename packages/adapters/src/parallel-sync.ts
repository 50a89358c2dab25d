// Syncing several files at the same time from synchronous code.
//
// A file system commits what waits for it together: four files synced side by side cost little more than one. The
// waiting is done by a thread of its own, since Node can only do one synchronous sync after another.
//
// Shared memory: control[0] is the state, control[1] the length of the text; the text is JSON, paths one way and the
// failure, if any, the other.

import { Worker } from 'node:worker_threads';

const states = { idle: 0, asked: 1, answered: 2 } as const;
const textBytes = 1 << 16;
/** A disk that does not answer for so long is taken for broken. */
const answerTimeoutMs = 300_000;

/** The memory that both ends share. */
export interface SyncChannel {
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly text: Uint8Array<SharedArrayBuffer>;
}

/** What could not be synced, and the code of the system's error. */
export interface SyncFailure {
  readonly path: string;
  readonly code: string;
}

function write(channel: SyncChannel, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value));
  if (bytes.length > textBytes) throw new RangeError('too many files to sync at once');
  channel.text.set(bytes);
  channel.control[1] = bytes.length;
}

function read<T>(channel: SyncChannel): T {
  return JSON.parse(Buffer.from(channel.text.slice(0, channel.control[1])).toString('utf8')) as T;
}

/** The thread's side: waits for the next request. */
export function nextSync(channel: SyncChannel): string[] {
  for (;;) {
    const state = Atomics.load(channel.control, 0);
    if (state === states.asked) return read<string[]>(channel);
    Atomics.wait(channel.control, 0, state);
  }
}

/** The thread's side: answers the request. */
export function answerSync(channel: SyncChannel, failure: SyncFailure | null): void {
  write(channel, failure);
  Atomics.store(channel.control, 0, states.answered);
  Atomics.notify(channel.control, 0);
}

/** The owner's side. The thread starts with the first request and does not keep the process alive. */
export class ParallelSync {
  #channel: SyncChannel | null = null;

  /** Syncs all paths, files or directories, and answers the first failure in their order, or null. */
  run(paths: readonly string[]): SyncFailure | null {
    const channel = this.#started();
    write(channel, paths);
    Atomics.store(channel.control, 0, states.asked);
    Atomics.notify(channel.control, 0);
    const result = Atomics.wait(channel.control, 0, states.asked, answerTimeoutMs);
    if (result === 'timed-out') return { path: paths[0] ?? '', code: 'ETIMEDOUT' };
    const failure = read<SyncFailure | null>(channel);
    Atomics.store(channel.control, 0, states.idle);
    return failure;
  }

  #started(): SyncChannel {
    if (this.#channel) return this.#channel;
    const channel: SyncChannel = {
      control: new Int32Array(new SharedArrayBuffer(8)),
      text: new Uint8Array(new SharedArrayBuffer(textBytes)),
    };
    new Worker(new URL('./disk-sync-thread.ts', import.meta.url), { workerData: channel }).unref();
    this.#channel = channel;
    return channel;
  }
}
