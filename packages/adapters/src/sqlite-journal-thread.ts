// One worker thread of a journal, seen from outside: requests in, replies out.
// It never knows what the requests mean.
//
//   JT1. One message is in flight; the requests that are made meanwhile are the next message, in order.
//   JT2. A thread that ends unasked fails every request, those in flight and all later ones.

import { Worker } from 'node:worker_threads';
import type { JournalError, JournalOpening } from '@firetrident/journal';
import { journalError, revivedError } from './sqlite-journal-errors.ts';
import type { OpeningReply, Reply, WorkerTask } from './sqlite-journal-messages.ts';

/** Young generation of the thread's heap, in MiB: what it handles is gone after one message. */
const youngMb = 4;

interface Pending<R> {
  readonly request: R;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: JournalError) => void;
}

/** A running thread that answers requests of the type `R`. */
export class JournalThread<R> {
  /** What the thread found at opening; null for a reader. */
  readonly opening: JournalOpening | null;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #path: string;
  #waiting: Pending<R>[] = [];
  #inFlight: readonly Pending<R>[] = [];
  #ended: JournalError | null = null;

  private constructor(worker: Worker, exited: Promise<unknown>, path: string, opening: JournalOpening | null) {
    this.#worker = worker;
    this.#exited = exited;
    this.#path = path;
    this.opening = opening;
    worker.on('message', (replies: readonly Reply[]) => this.#settle(replies));
    worker.on('error', (error) => this.#end(error.message));
    exited.then(() => this.#end('its thread ended'));
  }

  /** Starts a thread and waits until it has opened its file. */
  static async start<R>(task: WorkerTask): Promise<JournalThread<R>> {
    const worker = new Worker(new URL('./sqlite-journal-entry.mjs', import.meta.url), {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    // Asked for at once: a thread that ends soon may have ended when its message is looked at.
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const reply = await new Promise<OpeningReply>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    if (reply.ok) return new JournalThread<R>(worker, exited, task.path, reply.value);
    await exited;
    throw revivedError(reply.error);
  }

  /** Asks for one thing. The memory in `transfer` is handed over, the rest is copied when it is sent. */
  ask(request: R, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, transfer, resolve, reject });
      if (this.#inFlight.length === 0) this.#send();
    });
  }

  /** Asks for the end and waits for it; whatever was asked before is answered first. */
  async close(request: R): Promise<void> {
    if (this.#ended !== null) return;
    await this.ask(request);
    await this.#exited;
  }

  /** Sends all that waits as one message (JT1). */
  #send(): void {
    this.#inFlight = this.#waiting;
    this.#waiting = [];
    const transfer = this.#inFlight.flatMap((pending) => pending.transfer);
    this.#worker.postMessage(
      this.#inFlight.map(({ request }) => request),
      transfer,
    );
  }

  #settle(replies: readonly Reply[]): void {
    const answered = this.#inFlight;
    this.#inFlight = [];
    if (this.#waiting.length > 0) this.#send();
    answered.forEach(({ resolve, reject }, index) => {
      const reply = replies[index];
      if (reply?.ok) resolve(reply.value);
      else if (reply !== undefined) reject(revivedError(reply.error));
    });
  }

  /** Fails everything (JT2). */
  #end(reason: string): void {
    this.#ended ??= journalError('failed', `The journal failed: ${reason}.`, this.#path);
    const unanswered = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
    this.#waiting = [];
    for (const { reject } of unanswered) reject(this.#ended);
  }
}
