// One reader of a live stream: a socket with the sequence it has been told up to.
//
//   RE1. A reader hears each sequence once and in order: what is at or before its cursor is never sent again.
//   RE2. A reader that does not keep up is closed, and told where to resume; it never slows anybody else.

import type { Duplex } from 'node:stream';
import type { AgentId } from '@firetrident/base';
import { closeCodes, wireLimits } from '@firetrident/protocol';
import type { WebSocket } from 'ws';
import { textMessage } from './wire.ts';

/** How long a closed socket may take to say goodbye before it is cut. */
const goodbyeMs = 15_000;

/** A reader's socket. `agent` is null for observers. */
export class LiveReader {
  readonly agent: AgentId | null;
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #slow: () => void;
  #cursor: number;
  #isOpen = true;

  constructor(socket: WebSocket, stream: Duplex, agent: AgentId | null, cursor: number, slow: () => void) {
    this.agent = agent;
    this.#socket = socket;
    this.#stream = stream;
    this.#slow = slow;
    this.#cursor = cursor;
    socket.on('close', () => {
      this.#isOpen = false;
    });
  }

  /** The last sequence that this reader needs no more. */
  get cursor(): number {
    return this.#cursor;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends framed bytes that tell everything after the cursor up to `sequence` (RE1). Closes a slow reader (RE2). */
  tell(message: Buffer | null, sequence: number): void {
    if (!this.#isOpen || sequence <= this.#cursor) return;
    if (message !== null) {
      if (this.#isSlow()) return;
      // Written beside the library, which is safe because nothing of its own is ever half-written without compression.
      this.#stream.write(message);
    }
    this.#cursor = sequence;
  }

  /** Sends something that is not part of the stream: the answer to a call. */
  answer(body: unknown): void {
    if (!this.#isOpen) return;
    if (this.#isSlow()) return;
    this.#stream.write(textMessage(JSON.stringify(body)));
  }

  /** Resolves when little enough waits to be sent, or the socket is closed. */
  async drained(): Promise<void> {
    while (this.#isOpen && this.#stream.writableNeedDrain) {
      await new Promise<void>((resolve) => {
        const settle = () => {
          this.#stream.off('drain', settle);
          this.#stream.off('close', settle);
          resolve();
        };
        this.#stream.once('drain', settle);
        this.#stream.once('close', settle);
      });
    }
  }

  /** Closes with a code and a reason that names where to resume. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), goodbyeMs).unref();
  }

  /** The same for a shutdown. */
  sayGoodbye(): void {
    this.close(closeCodes.goingAway, `resume with after=${this.#cursor}`);
  }

  /** Whether too much waits to be sent; then the reader is closed (RE2). */
  #isSlow(): boolean {
    if (this.#stream.writableLength <= wireLimits.slowReaderBytes) return false;
    this.#slow();
    this.close(closeCodes.slowReader, `too slow; resume with after=${this.#cursor}`);
    return true;
  }
}
