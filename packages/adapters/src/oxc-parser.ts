// The parser port on oxc-parser.
//
// Texts are parsed on a thread of its own with a large stack, and the caller waits for it: a hostile text can neither
// end the process by exhausting the caller's stack, nor hold the caller for longer than a deadline. Why it is
// synchronous, and why in a thread nevertheless, is told in docs/decisions/0004-synchronous-parser.md.
//
// It never knows blobs, and keeps nothing: who parses the same text again remembers the module by its blob id.
//
// Invariants:
//   OX1. No text ends the process or throws. Text beyond the limits, or not parsed in time, is a module that is not ok,
//        with the reason `limit`.
//   OX2. A thread that missed a deadline answers nobody any more; at most `abandonedLimit` of them run on at a time.
//   OX3. The thread does not keep the process alive.

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { assert } from '@firetrident/base';
import type { ParsedModule, Parser } from '@firetrident/content';
import { limitReason, parserStackMiB } from './oxc-parser-limits.ts';
import type { ParseAnswer, ParseRequest, ParserThreadData } from './oxc-parser-messages.ts';
import { languageOf } from './oxc-parser-module.ts';

/** How a parser is set up. */
export interface OxcParserOptions {
  /** How long one text may take, in milliseconds. Default 5,000. */
  readonly deadlineMs?: number;
}

/** A parser that holds a thread. */
export interface OxcParser extends Parser {
  /** Ends the thread. Parsing afterwards starts another one. */
  close(): Promise<void>;
}

/** How many threads that missed their deadline may still run before nothing is parsed until one ends. */
const abandonedLimit = 2;

/** How long the thread may take to start, in milliseconds. */
const startMs = 60_000;

const defaultDeadlineMs = 5_000;

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array<SharedArrayBuffer>;
}

function limited(message: string): ParsedModule {
  return { ok: false, reason: 'limit', message, line: null };
}

/** Waits for the message that the thread owes; undefined when it does not come in time. */
function receive(thread: Thread, timeoutMs: number): unknown {
  const until = performance.now() + timeoutMs;
  // Being woken means nothing: the thread may still wake for its last answer.
  while (Atomics.load(thread.signal, 0) === 0) {
    if (Atomics.wait(thread.signal, 0, 0, Math.max(0, until - performance.now())) === 'timed-out') break;
  }
  return receiveMessageOnPort(thread.port)?.message;
}

class ThreadedParser implements OxcParser {
  readonly #deadlineMs: number;
  #thread: Thread | null = null;
  #abandoned = 0;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  knows(path: string): boolean {
    return languageOf(path) !== null;
  }

  parse(path: string, text: string): ParsedModule | null {
    if (!this.knows(path)) return null;
    const reason = limitReason(text);
    if (reason !== null) return limited(reason);
    if (this.#abandoned >= abandonedLimit) return limited('the parser is held up by other text');
    const thread = this.#thread ?? this.#start();
    this.#thread = thread;
    Atomics.store(thread.signal, 0, 0);
    thread.port.postMessage({ path, text } satisfies ParseRequest);
    const answer = receive(thread, this.#deadlineMs) as ParseAnswer | undefined;
    if (answer === undefined) {
      this.#abandon(thread);
      return limited(`not parsed within ${this.#deadlineMs} ms`);
    }
    assert(answer.kind === 'parsed', answer.kind === 'failed' ? `the parser failed on ${path}: ${answer.message}` : '');
    return answer.module;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    thread?.port.close();
    await thread?.worker.terminate();
  }

  #start(): Thread {
    const channel = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ParserThreadData = { port: channel.port2, signal };
    const worker = new Worker(new URL('./oxc-parser-entry.mjs', import.meta.url), {
      workerData,
      transferList: [channel.port2],
      execArgv: [],
      resourceLimits: { stackSizeMb: parserStackMiB },
    });
    worker.unref();
    channel.port1.unref();
    const thread = { worker, port: channel.port1, signal };
    assert(receive(thread, startMs) === 'ready', 'the parser thread starts');
    return thread;
  }

  /** Gives up a thread that is still busy: it ends when its native call does (OX2). */
  #abandon(thread: Thread): void {
    this.#thread = null;
    this.#abandoned += 1;
    thread.port.close();
    thread.worker.once('exit', () => {
      this.#abandoned -= 1;
    });
    void thread.worker.terminate();
  }
}

/** A parser for .ts .tsx .mts .cts .js .jsx .mjs .cjs. Its thread starts with the first text (OX1 to OX3). */
export function createOxcParser(options: OxcParserOptions = {}): OxcParser {
  return new ThreadedParser(options.deadlineMs ?? defaultDeadlineMs);
}
