// What every call over HTTP has in common, whichever way in it took: what answers it, how it is counted, what errors look like.
//
// Never here: which addresses there are, and who may call.
//
//   HC1. What the work of a call throws is answered `internal` and logged, or named when the disk is to blame, and the
//        daemon goes on.
//   HC2. A call is under way until its answer has left or its caller is gone.
//   HC3. Every error has the one form.

import { type ErrorFacts, errorCatalogue } from '@firetrident/protocol';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Gate } from './auth.ts';
import type { BodyBudget } from './body.ts';
import type { ColonyDirectory } from './colony-directory.ts';
import type { Handlers } from './endpoint-types.ts';
import { errorFacts, refusalFacts } from './errors.ts';
import type { Logger } from './logger.ts';
import type { MetricsDesk } from './metrics.ts';
import { storageTrouble } from './storage-failure.ts';

/** What answering calls takes. */
export interface HttpTools {
  readonly directory: ColonyDirectory;
  readonly gate: Gate;
  readonly handlers: Handlers;
  readonly metrics: MetricsDesk;
  readonly logger: Logger;
  /** Whether pages of this origin may call. */
  readonly isOriginAllowed: (origin: string) => boolean;
  /** Names under which clients of the Model Context Protocol may address the daemon; null allows every one. */
  readonly hosts: readonly string[] | null;
  readonly inFlight: InFlight;
  readonly bodies: BodyBudget;
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number;
}

/** Counts calls that are not answered yet, and closes the door at shutdown. */
export class InFlight {
  #calls = 0;
  #closed = false;
  #idle: (() => void) | null = null;

  get calls(): number {
    return this.#calls;
  }

  /** Whether no further call is taken. */
  get isClosed(): boolean {
    return this.#closed;
  }

  enter(): void {
    this.#calls += 1;
  }

  leave(): void {
    this.#calls -= 1;
    if (this.#calls === 0) this.#idle?.();
  }

  /** Takes no further call; resolves when those under way are answered. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#calls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** One call, as the router hands it on. */
export type CallContext = Context<{ Bindings: HttpBindings }>;

/** Lets a page of an allowed origin read the answer. */
export function announceOrigin(tools: HttpTools, context: CallContext): void {
  const { origin } = context.env.incoming.headers;
  if (origin === undefined || !tools.isOriginAllowed(origin)) return;
  context.header('access-control-allow-origin', origin);
  context.header('access-control-expose-headers', 'x-firetrident-blob, x-firetrident-mode, x-firetrident-commit');
  context.header('vary', 'origin');
}

/** Answers a call as all are answered: under way until it has left, counted under its name, errors named (HC1). */
export async function counted(
  tools: HttpTools,
  name: string,
  context: CallContext,
  work: () => Promise<Response>,
): Promise<Response> {
  const { metrics, inFlight } = tools;
  const begun = tools.elapsed();
  announceOrigin(tools, context);
  inFlight.enter();
  metrics.inFlight(inFlight.calls);
  // (HC2) So that a shutdown cuts no answer short.
  context.env.outgoing.once('close', () => {
    inFlight.leave();
    metrics.inFlight(inFlight.calls);
  });
  let response: Response;
  try {
    response = await work();
  } catch (error) {
    const trouble = storageTrouble(error);
    // (HC1)
    response =
      trouble === null ? internalError(tools, name, error, context) : errorResponse(context, refusalFacts(trouble));
  }
  const elapsedMs = tools.elapsed() - begun;
  metrics.answered(name, response.status, elapsedMs / 1_000);
  tools.logger.debug('call answered', { endpoint: name, status: response.status, elapsedMs: Math.round(elapsedMs) });
  return response;
}

/** Aborted when the connection of a call is closed, answered or not. */
export function closingOf({ outgoing }: HttpBindings): AbortSignal {
  const closing = new AbortController();
  if (outgoing.closed) closing.abort();
  else outgoing.once('close', () => closing.abort());
  return closing.signal;
}

/** Logs what failed, and answers that the daemon is to blame (HC1). */
export function internalError(tools: HttpTools, name: string, error: unknown, context: CallContext): Response {
  const known = error instanceof Error ? error : new Error(String(error));
  tools.logger.error('a call failed', { endpoint: name, problem: known.message, stack: known.stack });
  return errorResponse(context, errorFacts('internal'));
}

/** An answer in JSON, which nobody on the way is to keep. */
export function jsonResponse(
  context: CallContext,
  body: unknown,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return context.body(JSON.stringify(body), status as 200, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  });
}

/** The one form of every error (HC3). */
export function errorResponse(context: CallContext, error: ErrorFacts, headers: Record<string, string> = {}): Response {
  const extra: Record<string, string> = { ...headers };
  if (error.code === 'unauthorized') extra['www-authenticate'] = 'Bearer';
  if (errorCatalogue[error.code].status === 429) extra['retry-after'] = '1';
  return jsonResponse(context, { error }, errorCatalogue[error.code].status, extra);
}
