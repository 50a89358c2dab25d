// What comes in on the sockets of agents: bounded in bytes over all of them, and in messages over each.
//
//   IB1. Messages of which the end has not come hold memory: all of them together have a bound. Beyond it the one that
//        began first is cut, so that whoever never ends takes nobody's room.
//   IB2. A socket is read at the pace of so many messages a second; what comes faster waits at its sender. A message that is no call
//        counts as several, since saying so takes as long as a call and nobody who keeps to the protocol sends one.
//   IB3. Sockets in the middle of a long message are read at a pace of bytes that they share, so that who floods takes little of the
//        thread that everybody waits for. Short messages of others never wait for them.

import type { Duplex } from 'node:stream';
import { wireLimits } from '@firetrident/protocol';
import type { WebSocket } from 'ws';

/** Bytes of a message that are not worth counting. */
const smallBytes = 65_536;

/** A pace as a leaking bucket: it fills by what is counted and leaks the pace's amount in a second. */
class Pace {
  readonly #perSecond: number;
  #level = 0;
  #at = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts so much more at `now`; how long to wait, in milliseconds: until a full bucket is half empty, 0 before it is full. */
  count(amount: number, now: number): number {
    const leaked = ((now - this.#at) / 1_000) * this.#perSecond;
    this.#level = Math.max(0, this.#level - leaked) + amount;
    this.#at = now;
    if (this.#level < this.#perSecond) return 0;
    return (1_000 * (this.#level - this.#perSecond / 2)) / this.#perSecond;
  }
}

/** The messages that are coming in, over all sockets (IB1). */
export class InboundBudget {
  readonly #bound: number;
  /** Sockets in the middle of a message that is worth counting, in the order in which these began. */
  readonly #unfinished = new Set<InboundWatch>();
  readonly #cut: () => void;
  #bytes = 0;
  /** Bytes of long messages (IB3). */
  readonly #pace = new Pace(wireLimits.longBytesPerSecond);

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
    watch.pauseFor(this.#pace.count(bytes, now)); // (IB3)
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
  /** Messages (IB2). */
  readonly #pace = new Pace(wireLimits.framesPerSecond);

  constructor(socket: WebSocket, stream: Duplex, budget: InboundBudget, now: () => number) {
    this.#socket = socket;
    this.#budget = budget;
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

  /** The last message was no call (IB2). */
  wasNoCall(): void {
    this.pauseFor(this.#pace.count(wireLimits.messagesPerNoCall - 1, this.#now()));
  }

  /** Lets what comes wait at its sender for so long; 0 changes nothing. */
  pauseFor(pauseMs: number): void {
    if (pauseMs === 0 || this.#socket.isPaused) return;
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
    this.pauseFor(this.#pace.count(1, this.#now())); // (IB2)
  }

  #settle(): void {
    if (this.#counted > 0) this.#budget.ended(this, this.#counted);
    this.#bytes = 0;
    this.#counted = 0;
  }
}
