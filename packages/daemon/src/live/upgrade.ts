// Upgrades to WebSocket: who may open a live stream, and what each kind of socket may do.
//
//   UP1. A socket is opened only for a caller whose token or ticket is good; a refusal is an ordinary HTTP answer.
//   UP2. Observers only listen; agents may also call. A frame over its bound closes the socket.
//   UP3. What a socket costs is bounded for each agent and for all (OP1, OP2, IB1 to IB4, LR1, PE1, PE2).
//        What a socket keeps in memory counts, too: listeners that hear of one end are not wrapped to hear of one end only.
//   UP4. A socket whose frames break the protocol is cut soon after it was told.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AgentId } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { type AnswerFrame, closeCodes, type ErrorFacts, endpoints, wireLimits } from '@firetrident/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { splitTarget } from '../address.ts';
import type { Caller } from '../auth.ts';
import { errorFacts } from '../errors.ts';
import { admit } from '../http-app.ts';
import type { HttpTools } from '../http-call.ts';
import type { ReaderCounts } from '../metrics.ts';
import { refuseRaw } from '../raw-refusal.ts';
import type { TicketOffice } from '../tickets.ts';
import { readQuery, validate } from '../validation.ts';
import { CallDesk } from './calls.ts';
import { LiveHub } from './hub.ts';
import { InboundBudget, InboundWatch } from './inbound.ts';
import { LateRefusals } from './late-refusals.ts';
import { OpeningDesk } from './openings.ts';
import { SocketPace } from './pace.ts';
import { LiveReader } from './reader.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { Turns } from './turns.ts';

/** How long a socket that broke the protocol may take to hear so (UP4). */
const brokenMs = 1_000;

/** What the live stream takes beside the tools of HTTP. */
export interface LiveTools extends HttpTools {
  readonly tickets: TicketOffice;
  readonly now: () => number;
}

/** Every live stream of a daemon. */
export class LiveDesk {
  readonly #tools: LiveTools;
  readonly #hubs = new Map<Colony, LiveHub>();
  readonly #observers = new WebSocketServer(socketOptions(wireLimits.observerFrameBytes));
  readonly #agents = new WebSocketServer(socketOptions(wireLimits.proposeBytes));
  readonly #openings: OpeningDesk;
  readonly #lateRefusals = new LateRefusals();
  readonly #inbound: InboundBudget;
  readonly #signsOfLife = new SignsOfLife();
  readonly #turns: Turns;

  constructor(tools: LiveTools) {
    this.#tools = tools;
    this.#openings = new OpeningDesk(tools.elapsed);
    this.#turns = new Turns(tools.elapsed);
    this.#inbound = new InboundBudget(wireLimits.unfinishedBytes, () => tools.metrics.connectionCut('unfinished'));
  }

  /** Begins to follow a colony. */
  follow(colony: Colony): void {
    if (!this.#hubs.has(colony)) this.#hubs.set(colony, new LiveHub(colony, this.#tools.metrics));
  }

  /** Closes the streams of a colony. */
  unfollow(colony: Colony): void {
    this.#hubs.get(colony)?.close();
    this.#hubs.delete(colony);
  }

  /** How many readers a colony has. */
  readers(colony: string): ReaderCounts {
    for (const [each, hub] of this.#hubs) if (each.id === colony) return hub.counts;
    return { observers: 0, agents: 0 };
  }

  /** Answers one request to upgrade (UP1). Takes over the socket. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on('error', () => stream.destroy());
    const admitted = this.#admit(request);
    if (!admitted.ok) {
      refuseRaw(stream, admitted.error);
      return;
    }
    const { colony, caller, after } = admitted;
    // (UP3)
    if (caller.kind === 'agent' && !this.#openings.open(colony, caller.agent.id)) {
      this.#tools.metrics.connectionCut('openings');
      this.#lateRefusals.refuse(stream, errorFacts('too_many_requests', null, { bound: wireLimits.socketsPerAgent }));
      return;
    }
    // Told whatever becomes of the upgrade: the library may refuse it, too.
    const agent = caller.kind === 'agent' ? caller.agent.id : null;
    if (agent !== null) stream.on('close', () => this.#openings.closed(colony, agent));
    const server = agent === null ? this.#observers : this.#agents;
    server.handleUpgrade(request, stream, head, (socket) => this.#serve(socket, stream, colony, agent, after));
  }

  /** Closes every stream and every socket. */
  close(): void {
    this.#signsOfLife.close();
    this.#lateRefusals.close();
    for (const colony of [...this.#hubs.keys()]) this.unfollow(colony);
  }

  #admit(
    request: IncomingMessage,
  ):
    | { readonly ok: true; readonly colony: Colony; readonly caller: Caller; readonly after: number | null }
    | { readonly ok: false; readonly error: ErrorFacts } {
    if (this.#tools.inFlight.isClosed) return { ok: false, error: errorFacts('shutting_down') };
    const target = splitTarget(request.url ?? '/');
    const fields = readQuery(target.query);
    if (!fields.ok) return fields;
    const ticket = fields.value.ticket ?? null;
    const redeem = (colony: string) =>
      ticket === null ? null : this.#tools.tickets.redeem(ticket, colony, this.#tools.now());
    const admitted = admit(this.#tools, endpoints.live, target, request, redeem);
    if (!admitted.ok) {
      return admitted.error.code === 'invalid_address'
        ? { ok: false, error: errorFacts('not_found', target.path) }
        : admitted;
    }
    const query = validate(endpoints.live.query, fields.value);
    if (!query.ok) return query;
    const { colony, caller } = admitted.value;
    if (colony === null) return { ok: false, error: errorFacts('not_found', target.path) };
    const after = query.value.after === undefined ? null : Number(query.value.after);
    return { ok: true, colony, caller, after };
  }

  #serve(socket: WebSocket, stream: Duplex, colony: Colony, agent: AgentId | null, after: number | null): void {
    // A frame that is oversized or malformed: the library closes the socket with the code that says so (UP2, UP4).
    socket.on('error', () => void setTimeout(() => socket.terminate(), brokenMs).unref());
    const hub = this.#hubs.get(colony);
    if (hub === undefined) {
      socket.close(closeCodes.trouble, 'the colony is gone');
      return;
    }
    const slow = () => this.#tools.metrics.slowReader(colony.id);
    const reader = new LiveReader(socket, stream, agent, after ?? hub.lastSequence, slow);
    this.#watch(socket, stream, () => hub.leave(reader));
    const pace = new SocketPace(socket, this.#tools.elapsed);
    if (agent === null) this.#refuseCalls(socket, reader, pace);
    else {
      new InboundWatch(socket, stream, this.#inbound, pace, this.#tools.elapsed);
      this.#answerCalls(socket, reader, colony, agent, pace);
    }
    if (after === null) {
      hub.join(reader);
      return;
    }
    hub.replay(reader).catch((error: unknown) => {
      this.#tools.logger.warn('a replay ended early', { colony: colony.id, problem: String(error) });
      reader.close(closeCodes.trouble, `resume with after=${reader.cursor}`);
    });
  }

  #refuseCalls(socket: WebSocket, reader: LiveReader, pace: SocketPace): void {
    socket.on('message', () => {
      pace.countMessage();
      pace.countMistake();
      reader.answer({ id: null, error: errorFacts('forbidden', null, null, { message: 'Observers only listen.' }) });
    });
  }

  #answerCalls(socket: WebSocket, reader: LiveReader, colony: Colony, agent: AgentId, pace: SocketPace): void {
    const { inFlight } = this.#tools;
    const closing = new AbortController();
    socket.on('close', () => closing.abort());
    const calls = new CallDesk(colony, this.#tools, { agent, gone: closing.signal, pace });
    const tell = (answer: AnswerFrame) => {
      try {
        reader.answer(answer);
      } finally {
        inFlight.leave();
      }
    };
    socket.on('message', (data: RawData, isBinary: boolean) => {
      this.#turns.begin(() => {
        if (inFlight.isClosed) {
          reader.answer({ id: null, error: errorFacts('shutting_down') });
          return;
        }
        inFlight.enter();
        calls.answer(data, isBinary, tell);
      });
    });
  }

  #watch(socket: WebSocket, stream: Duplex, gone: () => void): void {
    this.#signsOfLife.watch(socket);
    stream.on('close', () => {
      this.#signsOfLife.forget(socket);
      gone();
    });
  }
}

function socketOptions(maxPayload: number) {
  return { noServer: true, perMessageDeflate: false, clientTracking: false, maxPayload } as const;
}
