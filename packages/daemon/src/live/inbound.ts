// What comes in on the sockets of agents: bounded in bytes over all of them, and in messages over each.
//
//   IB1. Messages of which the end has not come hold memory: all of them together have a bound. Beyond it the one that
//        began first is cut, so that whoever never ends takes nobody's room.
//   IB2. A socket is read at the pace of so many messages a second; what comes faster waits at its sender.
//   IB3. Sockets in the middle of a long message are read at a pace of bytes that they share, so that who floods takes little of the
//        thread that everybody waits for. Short messages of others never wait for them.
//   IB4. What comes on a socket that is closing is thrown away, and counts for nobody; after a little of it the socket is read no more.

import type { Duplex } from 'node:stream';
import { wireLimits } from '@firetrident/protocol';
import { WebSocket } from 'ws';
import { Pace, type SocketPace } from './pace.ts';

/** Bytes of a message that are not worth counting. */
const smallBytes = 65_536;
/** For how long long messages of others may make one wait, in seconds (PE1). */
const carriedSeconds = 4;

/** The messages that are coming in, over all sockets (IB1). */
export class InboundBudget {
  readonly #bound: number;
  /** Sockets in the middle of a message that is worth counting, in the order in which these began. */
  readonly #unfinished = new Set<InboundWatch>();
  readonly #cut: () => void;
  #bytes = 0;
  /** Bytes of long messages (IB3). */
  readonly #pace = new Pace(wireLimits.longBytesPerSecond, carriedSeconds);

  constructor(bound: number, cut: () => void) {
    this.#bound = bound;
    this.#cut = cut;
  }

  /** Bytes of unfinished messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So many bytes more of an unfinished message, at `now`. How long its socket is to wait, in milliseconds (IB3). */
  grew(watch: InboundWatch, bytes: number, now: number): number {
    const pauseMs = this.#pace.count(bytes, now);
    this.#unfinished.add(watch);
    this.#bytes += bytes;
    for (const oldest of this.#unfinished) {
      if (this.#bytes <= this.#bound) break;
      this.#cut();
      oldest.cut();
    }
    return pauseMs;
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
  readonly #pace: SocketPace;
  readonly #now: () => number;
  /** Bytes of the message under way, and those of them that the budget counts. */
  #bytes = 0;
  #counted = 0;

  constructor(socket: WebSocket, stream: Duplex, budget: InboundBudget, pace: SocketPace, now: () => number) {
    this.#socket = socket;
    this.#budget = budget;
    this.#pace = pace;
    this.#now = now;
    // Before the library sees them: what ends a message must not count for the next one.
    stream.prependListener('data', (bytes: Buffer) => this.#came(bytes.length));
    socket.on('message', () => this.#ended());
    stream.on('close', () => this.#settle());
  }

  /** Ends the socket, with all that came of its message. */
  cut(): void {
    this.#settle();
    this.#socket.terminate();
  }

  #came(bytes: number): void {
    if (this.#socket.readyState >= WebSocket.CLOSING) {
      this.#cameLate(bytes);
      return;
    }
    this.#bytes += bytes;
    if (this.#bytes <= smallBytes) return;
    const more = this.#bytes - this.#counted;
    this.#counted = this.#bytes;
    this.#pace.pauseFor(this.#budget.grew(this, more, this.#now()));
  }

  /** (IB4) */
  #cameLate(bytes: number): void {
    const all = this.#bytes - this.#counted + bytes;
    this.#settle();
    this.#bytes = all;
    if (all > smallBytes) this.#socket.pause();
  }

  #ended(): void {
    this.#settle();
    this.#pace.countMessage(); // (IB2)
  }

  #settle(): void {
    if (this.#counted > 0) this.#budget.ended(this, this.#counted);
    this.#bytes = 0;
    this.#counted = 0;
  }
}
