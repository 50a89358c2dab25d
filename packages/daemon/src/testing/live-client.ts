// A client of the live stream for tests: gathers frames and answers, and waits for what a test names.

import type { LiveFrame, LiveFrameType } from '@firetrident/protocol';
import { WebSocket } from 'ws';

/** How a socket was closed. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers that they themselves judge
type Answer = any;

/** One open socket. */
export class LiveClient {
  /** Frames of the stream so far. */
  readonly frames: LiveFrame[] = [];
  readonly closed: Promise<Closing>;
  readonly #answers: Answer[] = [];
  readonly #socket: WebSocket;
  #wakers: (() => void)[] = [];
  #isClosed = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: reason.toString() });
      });
    });
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Answer;
      if ('seq' in message) this.frames.push(message as LiveFrame);
      else this.#answers.push(message);
      this.#wake();
    });
  }

  /** Opens a socket; rejects with the status when it is refused. */
  static open(url: string, token: string | null, origin?: string): Promise<LiveClient> {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, ...(origin === undefined ? {} : { origin }) });
    const client = new LiveClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.on('error', reject);
    });
  }

  send(body: unknown): void {
    this.sendRaw(JSON.stringify(body));
  }

  sendRaw(data: string | Buffer): void {
    this.#socket.send(data);
  }

  /** Reads nothing more from the connection until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.terminate();
  }

  /** The first frame that matches, once it is there; `last` is named when the socket closes first. */
  until(matches: (frame: LiveFrame) => boolean, last: number): Promise<LiveFrame> {
    return this.#wait(() => this.frames.find(matches), `a frame up to ${last}`);
  }

  untilType<Type extends LiveFrameType>(type: Type): Promise<Extract<LiveFrame, { type: Type }>> {
    return this.until((frame) => frame.type === type, 0) as Promise<Extract<LiveFrame, { type: Type }>>;
  }

  /** The answer to a call; each answer is given once. */
  answer(id: number | null): Promise<Answer> {
    return this.#wait(() => {
      const index = this.#answers.findIndex((answer) => answer.id === id);
      return index < 0 ? undefined : this.#answers.splice(index, 1)[0];
    }, `the answer to ${id}`);
  }

  async #wait<T>(look: () => T | undefined, what: string): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`the socket closed before ${what} came`);
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const waker of wakers) waker();
  }
}
