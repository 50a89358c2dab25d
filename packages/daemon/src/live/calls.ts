// Calls that an agent makes on its socket: the same schemas and handlers as over HTTP.
//
//   LC1. A frame that cannot be read is answered with an error, under its id when it has one.
//   LC2. Each socket has a bounded number of calls under way.
//   LC3. A call under way keeps neither its message nor a frame of a function here: thousands of takes wait.

import { type AgentId, no, ok, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import {
  type AnswerFrame,
  type CallFrame,
  callFrame,
  type ErrorFacts,
  type FrameCall,
  frameCalls,
  wireLimits,
} from '@firetrident/protocol';
import type { RawData } from 'ws';
import type { AgentCaller } from '../auth.ts';
import { parseJson } from '../body.ts';
import { errorFacts } from '../errors.ts';
import type { HttpTools } from '../http-call.ts';
import { validate } from '../validation.ts';
import type { SocketPace } from './pace.ts';

type FrameHandler = (call: unknown) => Promise<Result<{ readonly body: unknown }, ErrorFacts>>;

/** What a call asks, and whose it is. */
interface Asked {
  readonly caller: AgentCaller;
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
}

/** The socket that calls come on. */
export interface SocketOfCalls {
  readonly agent: AgentId;
  /** Aborted when it is closed. */
  readonly gone: AbortSignal;
  readonly pace: Pick<SocketPace, 'countMistake'>;
}

const noQuery = {};

/** The calls of one socket. */
export class CallDesk {
  readonly #colony: Colony;
  readonly #tools: Pick<HttpTools, 'handlers' | 'logger'>;
  readonly #agent: AgentId;
  /** Aborted when the socket is closed. */
  readonly #gone: AbortSignal;
  readonly #pace: Pick<SocketPace, 'countMistake'>;
  #underWay = 0;

  constructor(colony: Colony, tools: Pick<HttpTools, 'handlers' | 'logger'>, { agent, gone, pace }: SocketOfCalls) {
    this.#colony = colony;
    this.#tools = tools;
    this.#agent = agent;
    this.#gone = gone;
    this.#pace = pace;
  }

  /** Answers one message of the socket: `tell` gets the answer once, now or later (LC3). Never throws. */
  answer(data: RawData, isBinary: boolean, tell: (answer: AnswerFrame) => void): void {
    const read = readFrame(data, isBinary);
    if (!read.ok) {
      this.#pace.countMistake();
      tell(read.error);
      return;
    }
    const { id, call } = read.value;
    const asked = this.#checked(read.value);
    if (!asked.ok) tell({ id, error: asked.error });
    else this.#dispatch(id, call, asked.value, tell);
  }

  /** Who asks, and what; or why neither is looked at further. */
  #checked({ call, body: given, waitMs }: CallFrame): Result<Asked, ErrorFacts> {
    if (this.#underWay >= wireLimits.callsInFlight) {
      return no(errorFacts('too_many_requests', null, { bound: wireLimits.callsInFlight }));
    }
    const body = validate<unknown>(frameCalls[call], given ?? {});
    if (!body.ok) {
      this.#pace.countMistake();
      return body;
    }
    // Asked anew for every call: an agent that was stopped has no say on a socket that is closing.
    const agent = this.#colony.state.agents.get(this.#agent);
    if (agent === undefined || agent.state === 'stopped') return no(errorFacts('agent_stopped'));
    const query = waitMs === undefined ? noQuery : { waitMs: String(waitMs) };
    return ok({ caller: { kind: 'agent', colony: this.#colony, agent }, body: body.value, query });
  }

  #dispatch(id: number, call: FrameCall, asked: Asked, tell: (answer: AnswerFrame) => void): void {
    const handler = this.#tools.handlers[call] as unknown as FrameHandler;
    const colony = this.#colony;
    const failed = (error: unknown) => {
      this.#underWay -= 1;
      const known = error instanceof Error ? error : new Error(String(error));
      this.#tools.logger.error('a call failed', { endpoint: call, problem: known.message, stack: known.stack });
      tell({ id, error: errorFacts('internal') });
    };
    this.#underWay += 1;
    try {
      handler({ ...asked, colony, segments: { colony: colony.id }, path: '', gone: this.#gone }).then((reply) => {
        this.#underWay -= 1;
        tell(reply.ok ? { id, result: reply.value.body } : { id, error: reply.error });
      }, failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** The call that a message is, or the error frame that answers it (LC1). */
function readFrame(data: RawData, isBinary: boolean): Result<CallFrame, AnswerFrame> {
  if (isBinary) return no({ id: null, error: errorFacts('unsupported_media_type', 'a binary frame') });
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
  const json = bytes.length === 0 ? no(errorFacts('invalid_json')) : parseJson(bytes);
  if (!json.ok) return no({ id: null, error: json.error });
  const frame = validate(callFrame, json.value);
  return frame.ok ? ok(frame.value) : no({ id: idOf(json.value), error: frame.error });
}

function idOf(value: unknown): number | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : null;
  return typeof id === 'number' && Number.isInteger(id) && id >= 0 ? id : null;
}
