// Disk work beside the thread that asks for it.
//
// A file system commits what waits for it together: four files synced side by side cost little more than one. And a
// sync that goes on while its owner computes costs it nothing. Node can do neither from synchronous code, hence a thread
// of its own.
//
// Shared memory: control[0] is the state, control[1] the length of the text; the text is JSON, steps one way and the
// failure, if any, the other. Bytes to write lie in memory that both threads see: what the disk allocated is handed over
// once and then named by its number; anything else is copied.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { DiskStep } from '@firetrident/trunk';

const states = { idle: 0, asked: 1, answered: 2 } as const;
const textBytes = 1 << 16;
/** A disk that does not answer for so long is taken for broken. */
const answerTimeoutMs = 300_000;

/** The memory that both ends share. */
export interface DiskChannel {
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly text: Uint8Array<SharedArrayBuffer>;
}

/** What the thread is started with. */
export interface DiskThreadData {
  readonly channel: DiskChannel;
  /** Brings shared memory, in the order of the numbers by which steps name it. */
  readonly memories: MessagePort;
}

/** A step as it crosses: bytes are a place in shared memory. */
export type SharedStep =
  | Exclude<DiskStep, { kind: 'write' }>
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly memory: number;
      readonly offset: number;
      readonly length: number;
    };

/** What could not be done, and the code of the system's error. */
export interface StepFailure {
  readonly operation: string;
  readonly path: string;
  readonly code: string;
}

/** Waits for the end of a request; null when all of it was done. May be called again. */
export type StepWait = () => StepFailure | null;

function write(channel: DiskChannel, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value));
  if (bytes.length > textBytes) throw new RangeError('too many files for one request');
  channel.text.set(bytes);
  channel.control[1] = bytes.length;
}

function read<T>(channel: DiskChannel): T {
  return JSON.parse(Buffer.from(channel.text.slice(0, channel.control[1])).toString('utf8')) as T;
}

/** The thread's side: waits for the next request. */
export function nextRequest(channel: DiskChannel): SharedStep[] {
  for (;;) {
    const state = Atomics.load(channel.control, 0);
    if (state === states.asked) return read<SharedStep[]>(channel);
    Atomics.wait(channel.control, 0, state);
  }
}

/** The thread's side: answers the request. */
export function answerRequest(channel: DiskChannel, failure: StepFailure | null): void {
  write(channel, failure);
  Atomics.store(channel.control, 0, states.answered);
  Atomics.notify(channel.control, 0);
}

/** The owner's side. The thread starts with the first request and does not keep the process alive. */
export class DiskThread {
  #channel: DiskChannel | null = null;
  readonly #memories = new MessageChannel();
  readonly #numbers = new WeakMap<SharedArrayBuffer, number>();
  #handedOver = 0;
  /** Memory for bytes that are not shared, used again for each request. */
  #copies = new Uint8Array(new SharedArrayBuffer(1 << 12));
  #copied = 0;
  /** The request that nobody has waited for yet. */
  #outstanding: StepWait | null = null;

  /** Begins the steps, one after another, once those begun before are done. */
  begin(steps: readonly DiskStep[]): StepWait {
    this.#outstanding?.();
    const channel = this.#started();
    this.#copied = 0;
    write(
      channel,
      steps.map((step) => this.#shared(step)),
    );
    Atomics.store(channel.control, 0, states.asked);
    Atomics.notify(channel.control, 0);
    let answer: { readonly failure: StepFailure | null } | null = null;
    const wait = (): StepFailure | null => {
      if (answer) return answer.failure;
      answer = { failure: takeAnswer(channel) };
      this.#outstanding = null;
      return answer.failure;
    };
    this.#outstanding = wait;
    return wait;
  }

  #shared(step: DiskStep): SharedStep {
    if (step.kind !== 'write') return step;
    const { path } = step;
    const { buffer, byteOffset: offset, length } = this.#inSharedMemory(step.bytes);
    let memory = this.#numbers.get(buffer);
    if (memory === undefined) {
      memory = this.#handedOver;
      this.#handedOver += 1;
      this.#numbers.set(buffer, memory);
      this.#memories.port1.postMessage(buffer);
    }
    return { kind: 'write', path, memory, offset, length };
  }

  #inSharedMemory(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
    if (bytes.buffer instanceof SharedArrayBuffer) return bytes as Uint8Array<SharedArrayBuffer>;
    if (this.#copied + bytes.length > this.#copies.length) {
      // What was copied for this request stays in the old memory.
      this.#copies = new Uint8Array(new SharedArrayBuffer(Math.max(this.#copies.length * 2, bytes.length)));
      this.#copied = 0;
    }
    const copy = this.#copies.subarray(this.#copied, this.#copied + bytes.length);
    copy.set(bytes);
    this.#copied += bytes.length;
    return copy;
  }

  #started(): DiskChannel {
    if (this.#channel) return this.#channel;
    const channel: DiskChannel = {
      control: new Int32Array(new SharedArrayBuffer(8)),
      text: new Uint8Array(new SharedArrayBuffer(textBytes)),
    };
    const workerData: DiskThreadData = { channel, memories: this.#memories.port2 };
    new Worker(new URL('./disk-worker.ts', import.meta.url), {
      workerData,
      transferList: [this.#memories.port2],
    }).unref();
    this.#memories.port1.unref();
    this.#channel = channel;
    return channel;
  }
}

function takeAnswer(channel: DiskChannel): StepFailure | null {
  if (Atomics.wait(channel.control, 0, states.asked, answerTimeoutMs) === 'timed-out') {
    return { operation: 'wait', path: '', code: 'ETIMEDOUT' };
  }
  const failure = read<StepFailure | null>(channel);
  Atomics.store(channel.control, 0, states.idle);
  return failure;
}
