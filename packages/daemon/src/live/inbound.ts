// What comes in on the sockets of agents: bounded in bytes over all of them, and in messages over each.
//
//   IB1. Messages of which the end has not come hold memory: all of them together have a bound. Beyond it the one that
//        began first is cut, so that whoever never ends takes nobody's room.
//   IB2. A socket is read at the pace of so many messages a second; what comes faster waits at its sender.
//   IB3. Sockets in the middle of a long message are read at a pace of bytes that they share, so that who floods takes little of the
//        thread that everybody waits for. Short messages of others never wait for them.

import type { Duplex } from 'node:stream';
import { wireLimits } from '@firetrident/protocol';
import type { WebSocket } from 'ws';

/** Bytes of a message that are not worth counting. */
const smallBytes = 65_536;
/** Span over which paces are counted. */
const paceMs = 1_000;

/** The messages that are coming in, over all sockets (IB1). */
export class InboundBudget {
  readonly #bound: number;
  /** Sockets in the middle of a message that is worth counting, in the order in which these began. */
  readonly #unfinished = new Set<InboundWatch>();
  readonly #cut: () => void;
  #bytes = 0;
  /** The second that is being counted, and the bytes of long messages in it (IB3). */
  #windowAt = 0;
  #windowBytes = 0;

  constructor(bound: number, cut: () => void) {
    this.#bound = bound;
    this.#cut = cut;
  }

  /** Bytes of unfinished messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So many bytes more of an unfinished message, at `now`. */
  grew(watch: InboundWatch, bytes: number, now: number): void {
    if (now - this.#windowAt >= paceMs) {
      this.#windowAt = now;
      this.#windowBytes = 0;
    }
    this.#windowBytes += bytes;
    if (this.#windowBytes >= wireLimits.longBytesPerSecond) watch.pauseFor(this.#windowAt + paceMs - now); // (IB3)
    this.#unfinished.add(watch);
    this.#bytes += bytes;
    for (const oldest of this.#unfinished) {
      if (this.#bytes <= this.#bound) return;
      this.#cut();
      oldest.cut();
    }
  }

  /** A message of so many counted bytes ended. */
  ended(watch: InboundWatch, bytes: number): void {
    this.#unfinished.delete(watch);
    this.#bytes -= bytes;
  }
}

/** Watches what comes in on one socket. */
export class InboundWatch {
  readonly #socket: WebSocket;
  readonly #budget: InboundBudget;
  readonly #now: () => number;
  /** Bytes of the message under way, and those of them that the budget counts. */
  #bytes = 0;
  #counted = 0;
  #windowAt = 0;
  #messages = 0;

  constructor(socket: WebSocket, stream: Duplex, budget: InboundBudget, now: () => number) {
    this.#socket = socket;
    this.#budget = budget;
    this.#now = now;
    // Before the library sees them: what ends a message must not count for the next one.
    stream.prependListener('data', (bytes: Buffer) => this.#came(bytes.length));
    socket.on('message', () => this.#ended());
    stream.once('close', () => this.#settle());
  }

  /** Ends the socket, with all that came of its message. */
  cut(): void {
    this.#settle();
    this.#socket.terminate();
  }

  /** Lets what comes wait at its sender for so long. */
  pauseFor(pauseMs: number): void {
    if (this.#socket.isPaused) return;
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), pauseMs).unref();
  }

  #came(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= smallBytes) return;
    const more = this.#bytes - this.#counted;
    this.#counted = this.#bytes;
    this.#budget.grew(this, more, this.#now());
  }

  #ended(): void {
    this.#settle();
    const now = this.#now();
    if (now - this.#windowAt >= paceMs) {
      this.#windowAt = now;
      this.#messages = 0;
    }
    this.#messages += 1;
    if (this.#messages >= wireLimits.framesPerSecond) this.pauseFor(this.#windowAt + paceMs - now); // (IB2)
  }

  #settle(): void {
    if (this.#counted > 0) this.#budget.ended(this, this.#counted);
    this.#bytes = 0;
    this.#counted = 0;
  }
}
