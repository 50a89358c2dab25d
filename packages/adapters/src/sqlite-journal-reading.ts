// The reading side of a journal: a thread that rests while nobody reads, because an idle one keeps some 15 MiB.
//
//   RS1. Reads are carried out in the order in which they were asked for (JT1), also over a rest.
//   RS2. A rest begins only when nothing is under way, and ends with the next read.

import type { ReadRequest } from './sqlite-journal-messages.ts';
import { JournalThread } from './sqlite-journal-thread.ts';

type Thread = JournalThread<ReadRequest>;

/** Time without a read after which the thread ends. */
const restAfterMs = 10_000;

/** Reads a journal file. */
export class JournalReading {
  readonly #path: string;
  #thread: Promise<Thread> | null;
  #underWay = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Whether it is over: what is read no more starts no rest. */
  #isClosed = false;

  private constructor(path: string, thread: Thread) {
    this.#path = path;
    this.#thread = Promise.resolve(thread);
    this.#restLater();
  }

  /** Starts reading, with a thread that is there already. */
  static async start(path: string): Promise<JournalReading> {
    return new JournalReading(path, await startThread(path));
  }

  /** Carries out a read (RS1). */
  async ask(request: ReadRequest): Promise<unknown> {
    this.#underWay += 1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    try {
      this.#thread ??= startThread(this.#path);
      return await (await this.#thread).ask(request);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#restLater();
    }
  }

  /** Ends the thread; whatever was asked before is answered first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#end();
  }

  /** (RS2) */
  #restLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#end().catch(() => {
        // A thread that could not even be asked to end has ended: the next read starts another.
      });
    }, restAfterMs).unref();
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await (await thread)?.close({ operation: 'close' });
  }
}

function startThread(path: string): Promise<Thread> {
  return JournalThread.start<ReadRequest>({ role: 'read', path });
}
