// Sockets are asked for a sign of life now and then, and ended when the last question got no answer.
//
//   SG1. They are asked one after the other over the whole interval: asking thousands at once holds up everybody else.
//   SG2. A socket has about the interval to answer.

import type { WebSocket } from 'ws';

/** How often each socket is asked, and how often some of them are. */
const usualPace = { intervalMs: 30_000, stepMs: 250 };

/** Watches over sockets until `close`. */
export class SignsOfLife {
  readonly #sockets = new Map<WebSocket, { isAlive: boolean }>();
  readonly #timer: NodeJS.Timeout;
  /** Share of the sockets that is due with each step. */
  readonly #share: number;
  /** Where the round is. */
  #round = this.#sockets.entries();
  /** How many are due; a part of one is carried over to the next step. */
  #due = 0;

  constructor({ intervalMs, stepMs } = usualPace) {
    this.#share = stepMs / intervalMs;
    this.#timer = setInterval(() => this.#step(), stepMs).unref();
  }

  watch(socket: WebSocket): void {
    const life = { isAlive: true };
    this.#sockets.set(socket, life);
    socket.on('pong', () => {
      life.isAlive = true;
    });
  }

  forget(socket: WebSocket): void {
    this.#sockets.delete(socket);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #step(): void {
    this.#due += this.#sockets.size * this.#share;
    for (; this.#due >= 1 && this.#sockets.size > 0; this.#due -= 1) this.#ask();
  }

  #ask(): void {
    let next = this.#round.next();
    if (next.done) {
      this.#round = this.#sockets.entries();
      next = this.#round.next();
    }
    if (next.done) return;
    const [socket, life] = next.value;
    if (life.isAlive) {
      life.isAlive = false;
      socket.ping();
    } else {
      socket.terminate();
    }
  }
}
