// Calls that an agent makes on its socket: the same schemas and handlers as over HTTP.
//
//   LC1. A frame that cannot be read is answered with an error, under its id when it has one.
//   LC2. Each socket has a bounded number of calls under way.

import { no, ok, type Result } from '@firetrident/base';
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
import type { Handlers } from '../endpoint-types.ts';
import { errorFacts } from '../errors.ts';
import type { HttpTools } from '../http-call.ts';
import type { Logger } from '../logger.ts';
import { validate } from '../validation.ts';

type FrameHandler = (call: unknown) => Promise<Result<{ readonly body: unknown }, ErrorFacts>>;

/** The calls of one socket. */
export class CallDesk {
  readonly #colony: Colony;
  readonly #handlers: Handlers;
  readonly #logger: Logger;
  /** Aborted when the socket is closed. */
  readonly #gone: AbortSignal;
  /** Told of each message that is no call. */
  readonly #noCall: () => void;
  #underWay = 0;

  constructor(
    colony: Colony,
    { handlers, logger }: Pick<HttpTools, 'handlers' | 'logger'>,
    { gone, noCall }: { readonly gone: AbortSignal; readonly noCall: () => void },
  ) {
    this.#colony = colony;
    this.#handlers = handlers;
    this.#logger = logger;
    this.#gone = gone;
    this.#noCall = noCall;
  }

  /** Answers one message of the socket. Never rejects. */
  async answer(caller: () => AgentCaller | null, data: RawData, isBinary: boolean): Promise<AnswerFrame> {
    const read = readFrame(data, isBinary);
    if (!read.ok) {
      this.#noCall();
      return read.error;
    }
    const { id, call } = read.value;
    if (this.#underWay >= wireLimits.callsInFlight) {
      return { id, error: errorFacts('too_many_requests', null, { bound: wireLimits.callsInFlight }) };
    }
    const body = validate<unknown>(frameCalls[call], read.value.body ?? {});
    if (!body.ok) return { id, error: body.error };
    // Asked anew for every call: an agent that was stopped has no say on a socket that is closing.
    const who = caller();
    if (who === null) return { id, error: errorFacts('agent_stopped') };
    this.#underWay += 1;
    try {
      const reply = await this.#dispatch(call, who, body.value, read.value.waitMs);
      return reply.ok ? { id, result: reply.value.body } : { id, error: reply.error };
    } catch (error) {
      const known = error instanceof Error ? error : new Error(String(error));
      this.#logger.error('a call failed', { endpoint: call, problem: known.message, stack: known.stack });
      return { id, error: errorFacts('internal') };
    } finally {
      this.#underWay -= 1;
    }
  }

  #dispatch(call: FrameCall, caller: AgentCaller, body: unknown, waitMs: number | undefined) {
    const handler = this.#handlers[call] as unknown as FrameHandler;
    const query = waitMs === undefined ? {} : { waitMs: String(waitMs) };
    const segments = { colony: this.#colony.id };
    return handler({ colony: this.#colony, caller, segments, path: '', query, body, gone: this.#gone });
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
