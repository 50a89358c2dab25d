// How fast something may come: as leaking buckets, and for the messages of one socket.
//
//   PE1. What came at once is paid for afterwards, but for a bounded time: a pause is shorter than the time in which a socket has to
//        give a sign of life (SG2).
//   PE2. A message that asks for nothing that can be done counts as several: saying so takes as long as a call, and nobody who keeps to
//        the protocol sends one.

import { wireLimits } from '@firetrident/protocol';
import type { WebSocket } from 'ws';

/** The longest that what one socket sent is paid for, in seconds (PE1). */
const carriedSeconds = 10;

/** A bucket: it fills by what is counted and leaks the pace's amount in a second. */
export class Pace {
  readonly #perSecond: number;
  readonly #most: number;
  #level = 0;
  #at = 0;

  /** `seconds` bounds for how long what was counted is paid for (PE1). */
  constructor(perSecond: number, seconds: number) {
    this.#perSecond = perSecond;
    this.#most = perSecond * seconds;
  }

  /** Counts so much more at `now`; how long to wait, in milliseconds: until a full bucket is half empty, 0 before it is full. */
  count(amount: number, now: number): number {
    const leaked = ((now - this.#at) / 1_000) * this.#perSecond;
    this.#level = Math.min(this.#most, Math.max(0, this.#level - leaked) + amount);
    this.#at = now;
    if (this.#level < this.#perSecond) return 0;
    return (1_000 * (this.#level - this.#perSecond / 2)) / this.#perSecond;
  }
}

/** The pace at which the messages of one socket are read. */
export class SocketPace {
  readonly #socket: WebSocket;
  readonly #now: () => number;
  readonly #messages = new Pace(wireLimits.framesPerSecond, carriedSeconds);

  constructor(socket: WebSocket, now: () => number) {
    this.#socket = socket;
    this.#now = now;
  }

  /** A message came. */
  countMessage(): void {
    this.pauseFor(this.#messages.count(1, this.#now()));
  }

  /** The last message asked for nothing that can be done (PE2). */
  countMistake(): void {
    this.pauseFor(this.#messages.count(wireLimits.messagesPerMistake - 1, this.#now()));
  }

  /** Lets what comes wait at its sender for so long; 0 changes nothing. */
  pauseFor(pauseMs: number): void {
    if (pauseMs === 0 || this.#socket.isPaused) return;
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), pauseMs).unref();
  }
}
