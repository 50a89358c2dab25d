// An agent's socket: its calls and what it is told, on one connection.
//
// It never knows what a call means, and never asks again what may have happened: that is for the caller, who knows
// whether it carried a key.
//
//   AS1. A call ends once: with its answer, with the refusal, or with `unreachable` when the connection broke or the
//        answer did not come in time.
//   AS2. Frames are delivered once each and in order of `seq`, across reconnections (as LV1).
//   AS3. Calls that are under way are bounded by what the daemon takes; the next one is refused here.

import {
  type AnswerFrame,
  type FrameCall,
  type LiveFrame,
  type RequestOf,
  type ResponseOf,
  wireLimits,
} from '@firetrident/protocol';
import WebSocket from 'ws';
import { ClientError } from './errors.ts';

/** Where the socket leads, as whom, and who hears what comes. */
export interface AgentSocketSettings {
  readonly url: string;
  /** The agent's own token. */
  readonly token: string;
  readonly colony: string;
  readonly onFrame: (frame: LiveFrame) => void;
  /** The connection broke and is opened again; `reason` is for a person. */
  readonly onBreak?: (reason: string) => void;
}

/** What a call may say beside its body. */
export interface SocketCallOptions {
  /** How long the daemon may wait for the outcome before it answers `queued`; propose and repair only. */
  readonly waitMs?: number;
  /** Patience for the answer, in milliseconds; 30,000 unless set. */
  readonly timeoutMs?: number;
}

interface UnderWay {
  readonly call: FrameCall;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: ClientError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Pause before a broken connection is opened again. */
const reopenMs = 500;
const patienceMs = 30_000;

/** One agent's connection. Opened by the constructor, and again after a break, until `close`. */
export class AgentSocket {
  /** Resolves when the connection stood for the first time; rejects with a ClientError when it was refused. */
  readonly opened: Promise<void>;
  readonly #settings: AgentSocketSettings;
  readonly #underWay = new Map<number, UnderWay>();
  #socket: WebSocket;
  #next = 1;
  /** Newest sequence heard; null before the first. */
  #last: number | null = null;
  #isClosed = false;

  constructor(settings: AgentSocketSettings) {
    this.#settings = settings;
    this.#socket = this.#open();
    const first = this.#socket;
    this.opened = new Promise((resolve, reject) => {
      first.once('open', () => resolve());
      first.once('error', (error) => reject(unreachable(error.message)));
    });
    // Whoever does not wait for the opening hears of it through `onBreak`.
    this.opened.catch(() => undefined);
  }

  /** Calls the daemon. Rejects with a ClientError (AS1). */
  call<Name extends FrameCall>(
    call: Name,
    body: RequestOf<Name>,
    options: SocketCallOptions = {},
  ): Promise<ResponseOf<Name>> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.reject(unreachable('the connection is not open'));
    // (AS3)
    if (this.#underWay.size >= wireLimits.callsInFlight) {
      return Promise.reject(new ClientError('refused', 'too many calls are under way', { code: 'too_many_requests' }));
    }
    const id = this.#next;
    this.#next += 1;
    const { waitMs, timeoutMs = patienceMs } = options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(id, `no answer to ${call} within ${timeoutMs} ms`), timeoutMs);
      this.#underWay.set(id, { call, resolve: resolve as (result: unknown) => void, reject, timer });
      this.#socket.send(JSON.stringify({ id, call, body, ...(waitMs === undefined ? {} : { waitMs }) }));
    });
  }

  /** Closes the connection for good; calls under way end as unreachable. */
  close(): void {
    this.#isClosed = true;
    this.#breakOff('the socket was closed');
    this.#socket.close();
  }

  #open(): WebSocket {
    const { url, token, colony } = this.#settings;
    const base = url.replace(/^http/, 'ws').replace(/\/+$/, '');
    const query = this.#last === null ? '' : `?after=${this.#last}`;
    const socket = new WebSocket(`${base}/api/colonies/${encodeURIComponent(colony)}/live${query}`, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      // The daemon is trusted to send what is text.
      skipUTF8Validation: true,
    });
    socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as AnswerFrame | LiveFrame));
    socket.on('error', (error) => this.#settings.onBreak?.(error.message));
    socket.on('close', (code) => {
      this.#breakOff(`the connection closed with code ${code}`);
      if (this.#isClosed) return;
      this.#settings.onBreak?.(`closed with code ${code}`);
      setTimeout(() => {
        if (!this.#isClosed) this.#socket = this.#open();
      }, reopenMs);
    });
    return socket;
  }

  #hear(message: AnswerFrame | LiveFrame): void {
    if (!('seq' in message)) this.#answered(message);
    else if (this.#last === null || message.seq > this.#last) {
      this.#last = message.seq; // (AS2)
      this.#settings.onFrame(message);
    }
  }

  #answered(answer: AnswerFrame): void {
    const underWay = answer.id === null ? undefined : this.#take(answer.id);
    if (underWay === undefined) return;
    if ('result' in answer) underWay.resolve(answer.result);
    else {
      const { code, message, value, next, hint } = answer.error;
      underWay.reject(new ClientError('refused', message, { code, value, next, hint } as never));
    }
  }

  #take(id: number): UnderWay | undefined {
    const underWay = this.#underWay.get(id);
    if (underWay === undefined) return undefined;
    this.#underWay.delete(id);
    clearTimeout(underWay.timer);
    return underWay;
  }

  #giveUp(id: number, reason: string): void {
    this.#take(id)?.reject(unreachable(reason));
  }

  #breakOff(reason: string): void {
    for (const id of [...this.#underWay.keys()]) this.#giveUp(id, reason);
  }
}

function unreachable(reason: string): ClientError {
  return new ClientError('unreachable', reason, {
    next: 'nothing is known to have happened',
    hint: 'a call with a key may be made again',
  });
}
