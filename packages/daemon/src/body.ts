// The body of a call: bounded bytes, then bounded JSON.
//
//   BO1. No more than the endpoint's bound is ever held, whatever the headers say.
//   BO2. Nesting is bounded before any schema looks, so no later recursion can be driven deep.
//   BO3. All bodies together are bounded too, from their arrival until their call is answered.

import type { IncomingMessage } from 'node:http';
import { no, ok, type Result } from '@firetrident/base';
import { type ErrorFacts, wireLimits } from '@firetrident/protocol';
import { errorFacts } from './errors.ts';

/** Content types that carry JSON here: what says so, and what common clients send unless told otherwise. */
const jsonTypes = /^(application\/([a-z0-9.+-]+\+)?json|text\/plain|application\/x-www-form-urlencoded)\s*(;|$)/i;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes of bodies that are held, of all calls together (BO3). */
export class BodyBudget {
  readonly #bound: number;
  #held = 0;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Holds so many bytes more, or answers false. */
  hold(bytes: number): boolean {
    if (this.#held + bytes > this.#bound) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * Reads the body's bytes up to `bound` (BO1), as long as the budget of all calls has room. What was read is held in the
 * budget, also when the body is refused; `held` is told how much, part by part, and the caller releases it.
 */
export async function readBody(
  request: IncomingMessage,
  bound: number,
  budget: BodyBudget,
  held: (bytes: number) => void,
): Promise<Result<Buffer, ErrorFacts>> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return no(errorFacts('unsupported_media_type', encoding));
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bound) return no(errorFacts('body_too_large', announced, { bound }));
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > bound) return no(errorFacts('body_too_large', length, { bound }));
      if (!budget.hold(part.length)) return no(errorFacts('too_many_requests'));
      held(part.length);
      parts.push(part);
    }
  } catch (error) {
    // Whoever sends half a body and goes is no fault of ours; nobody hears the answer.
    if (!request.destroyed) throw error;
    return no(errorFacts('malformed_call'));
  }
  return ok(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length));
}

/** Refuses a content type that says the body is something else than JSON. */
export function refuseOtherType(request: IncomingMessage): ErrorFacts | null {
  const type = request.headers['content-type'];
  return type === undefined || jsonTypes.test(type) ? null : errorFacts('unsupported_media_type', type);
}

/** The JSON value of a body; an empty body is an empty object. */
export function parseJson(bytes: Uint8Array): Result<unknown, ErrorFacts> {
  if (bytes.length === 0) return ok({});
  let value: unknown;
  try {
    value = JSON.parse(strictUtf8.decode(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    return no(errorFacts('invalid_json', error.message));
  }
  return exceedsDepth(value, wireLimits.jsonDepth)
    ? no(
        errorFacts(
          'invalid_json',
          null,
          { depth: wireLimits.jsonDepth },
          { message: 'The JSON is nested too deeply.' },
        ),
      )
    : ok(value);
}

/** Whether a parsed value nests deeper than `bound`; looks without recursion (BO2). */
export function exceedsDepth(value: unknown, bound: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > bound) return true;
    const below: object[] = [];
    for (const container of level) {
      for (const item of Object.values(container)) if (typeof item === 'object' && item !== null) below.push(item);
    }
    level = below;
  }
  return false;
}
