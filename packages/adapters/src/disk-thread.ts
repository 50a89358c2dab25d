// Disk work beside the thread that asks for it.
//
// A file system commits what waits for it together: four files synced side by side cost little more than one. And a
// sync that goes on while its owner computes costs it nothing. Node can do neither from synchronous code, hence a thread
// of its own.
//
// Shared memory: control[0] is the state, control[1] the length of the text at the beginning of the memory; the text is
// JSON, steps one way and the failure, if any, the other. Bytes to write lie behind the text, so they should be few.

import { Worker } from 'node:worker_threads';
import type { DiskStep } from '@firetrident/trunk';

/** Young generation of the thread's heap, in MiB: what it handles is gone after one message. */
const youngMb = 4;

const states = { idle: 0, asked: 1, answered: 2 } as const;
const memoryBytes = 1 << 17;
/** A disk that does not answer for so long is taken for broken. */
const answerTimeoutMs = 300_000;

/** The memory that both ends share. */
export interface DiskChannel {
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly memory: Uint8Array<SharedArrayBuffer>;
}

/** A step as it crosses. Bytes to write follow those of the step before. */
export type CrossingStep =
  | Exclude<DiskStep, { kind: 'write' }>
  | { readonly kind: 'write'; readonly path: string; readonly length: number };

/** What could not be done, and the code of the system's error. */
export interface StepFailure {
  readonly operation: string;
  readonly path: string;
  readonly code: string;
}

/** Waits for the end of a request; null when all of it was done. May be called again. */
export type StepWait = () => StepFailure | null;

function write(channel: DiskChannel, value: unknown, contents: readonly Uint8Array[] = []): void {
  const text = Buffer.from(JSON.stringify(value));
  let at = 0;
  for (const bytes of [text, ...contents]) {
    if (at + bytes.length > memoryBytes) throw new RangeError('too many files for one request');
    channel.memory.set(bytes, at);
    at += bytes.length;
  }
  channel.control[1] = text.length;
}

function read<T>(channel: DiskChannel): T {
  return JSON.parse(Buffer.from(channel.memory.slice(0, channel.control[1])).toString('utf8')) as T;
}

/** A request as the thread sees it. */
export interface DiskRequest {
  readonly steps: readonly CrossingStep[];
  /** The bytes of all writes, one behind another. They stay until the answer. */
  readonly contents: Uint8Array;
}

/** The thread's side: waits for the next request. */
export function nextRequest(channel: DiskChannel): DiskRequest {
  for (;;) {
    const state = Atomics.load(channel.control, 0);
    if (state === states.asked) {
      return { steps: read<CrossingStep[]>(channel), contents: channel.memory.subarray(channel.control[1]) };
    }
    Atomics.wait(channel.control, 0, state);
  }
}

/** The thread's side: answers the request. */
export function answerRequest(channel: DiskChannel, failure: StepFailure | null): void {
  write(channel, failure);
  Atomics.store(channel.control, 0, states.answered);
  Atomics.notify(channel.control, 0);
}

/** A channel on which nothing was asked yet. */
export function diskChannel(): DiskChannel {
  return {
    control: new Int32Array(new SharedArrayBuffer(8)),
    memory: new Uint8Array(new SharedArrayBuffer(memoryBytes)),
  };
}

/** The owner's side: asks for the steps. */
export function ask(channel: DiskChannel, steps: readonly DiskStep[]): void {
  const contents = steps.flatMap((step) => (step.kind === 'write' ? [step.bytes] : []));
  write(channel, steps.map(crossing), contents);
  Atomics.store(channel.control, 0, states.asked);
  Atomics.notify(channel.control, 0);
}

/** The owner's side. The thread starts with the first request and does not keep the process alive. */
export class DiskThread {
  #channel: DiskChannel | null = null;
  /** The request that nobody has waited for yet. */
  #outstanding: StepWait | null = null;

  /** Begins the steps, one after another, once those begun before are done. */
  begin(steps: readonly DiskStep[]): StepWait {
    this.settle();
    const channel = this.#started();
    ask(channel, steps);
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

  /** Waits for what was begun and not waited for yet. */
  settle(): void {
    this.#outstanding?.();
  }

  #started(): DiskChannel {
    if (this.#channel) return this.#channel;
    const channel = diskChannel();
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb };
    new Worker(new URL('./disk-entry.mjs', import.meta.url), { workerData: channel, resourceLimits }).unref();
    this.#channel = channel;
    return channel;
  }
}

function crossing(step: DiskStep): CrossingStep {
  if (step.kind !== 'write') return step;
  return { kind: 'write', path: step.path, length: step.bytes.length };
}

/** The owner's side: waits for the answer to the request and takes it. */
export function takeAnswer(channel: DiskChannel): StepFailure | null {
  // Being woken means nothing: the thread wakes whoever waits after each answer, also when its owner has seen that one already and waits
  // for the next.
  while (Atomics.load(channel.control, 0) === states.asked) {
    if (Atomics.wait(channel.control, 0, states.asked, answerTimeoutMs) === 'timed-out') {
      return { operation: 'wait', path: '', code: 'ETIMEDOUT' };
    }
  }
  const failure = read<StepFailure | null>(channel);
  Atomics.store(channel.control, 0, states.idle);
  return failure;
}
