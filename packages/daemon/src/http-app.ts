// HTTP: one route per row of the endpoint table, one way through for every call.
//
// Order of a call: open for calls? → whose page? → which colony, whose token? → query → body → handler → answer.
//
//   HA1. Nothing of a body is read before the token was found good.
//   HA2. A handler is called once, with a call that passed every check; what it throws is answered `internal` and
//        logged, or named when the disk is to blame, and the daemon goes on.
//   HA3. Every error has the one form, also for addresses and methods that do not exist.

import type { IncomingMessage } from 'node:http';
import { no, ok, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { type Endpoint, type EndpointName, type ErrorFacts, endpoints, errorCatalogue } from '@firetrident/protocol';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { type AddressParts, matchAddress, splitTarget, type Target } from './address.ts';
import { bearerToken, type Caller, type Gate } from './auth.ts';
import { type BodyBudget, parseJson, readBody, refuseOtherType } from './body.ts';
import type { ColonyDirectory } from './colony-directory.ts';
import type { Handlers, RawReply } from './endpoint-types.ts';
import { errorFacts, refusalFacts } from './errors.ts';
import type { Logger } from './logger.ts';
import { addMcpRoute } from './mcp/route.ts';
import type { MetricsDesk } from './metrics.ts';
import { storageTrouble } from './storage-failure.ts';
import { readQuery, validate } from './validation.ts';

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

type App = Hono<{ Bindings: HttpBindings }>;
type CallContext = Context<{ Bindings: HttpBindings }>;
type AnyHandler = (call: unknown) => Promise<Result<RawReply | { body: unknown; status?: number }, ErrorFacts>>;

/** The application: every endpoint of the table, and errors for everything else. */
export function createHttpApp(tools: HttpTools): App {
  const app: App = new Hono({ strict: true });
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const route = endpoint.path.replace('/*path', '/*');
    app.on(endpoint.method, route, (context) => answer(tools, name, endpoint, context));
  }
  addMcpRoute(app, tools);
  app.notFound((context) => answerUnknown(tools, context));
  app.onError((error, context) => internalError(tools, 'unknown', error, context));
  return app;
}

/** Lets a page of an allowed origin read the answer. */
function announceOrigin(tools: HttpTools, context: CallContext): void {
  const { origin } = context.env.incoming.headers;
  if (origin === undefined || !tools.isOriginAllowed(origin)) return;
  context.header('access-control-allow-origin', origin);
  context.header('access-control-expose-headers', 'x-firetrident-blob, x-firetrident-mode, x-firetrident-commit');
  context.header('vary', 'origin');
}

function answer(tools: HttpTools, name: EndpointName, endpoint: Endpoint, context: CallContext): Promise<Response> {
  return counted(tools, name, context, () => pass(tools, name, endpoint, context));
}

/** Answers a call as all are answered: under way until it has left, counted under its name, errors named (HA2). */
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
  // Under way until the answer has left or the caller is gone, so that a shutdown cuts no answer short.
  context.env.outgoing.once('close', () => {
    inFlight.leave();
    metrics.inFlight(inFlight.calls);
  });
  let response: Response;
  try {
    response = await work();
  } catch (error) {
    const trouble = storageTrouble(error);
    // (HA2)
    response =
      trouble === null ? internalError(tools, name, error, context) : errorResponse(context, refusalFacts(trouble));
  }
  const elapsedMs = tools.elapsed() - begun;
  metrics.answered(name, response.status, elapsedMs / 1_000);
  tools.logger.debug('call answered', { endpoint: name, status: response.status, elapsedMs: Math.round(elapsedMs) });
  return response;
}

async function pass(tools: HttpTools, name: EndpointName, endpoint: Endpoint, context: CallContext): Promise<Response> {
  const { incoming } = context.env;
  if (tools.inFlight.isClosed) return errorResponse(context, errorFacts('shutting_down'), { connection: 'close' });
  const target = splitTarget(incoming.url ?? '/');
  const admitted = admit(tools, endpoint, target, incoming);
  if (!admitted.ok) return errorResponse(context, admitted.error);
  if (name === 'live') return errorResponse(context, errorFacts('upgrade_required'), { upgrade: 'websocket' });
  const { colony, caller, parts } = admitted.value;
  const fields = readQuery(target.query);
  if (!fields.ok) return errorResponse(context, fields.error);
  const query = validate(endpoint.query, fields.value);
  if (!query.ok) return errorResponse(context, query.error);
  const body = await checkedBody(tools, endpoint, context.env);
  if (!body.ok) return errorResponse(context, body.error, incoming.readableEnded ? {} : { connection: 'close' });
  const handler = tools.handlers[name] as unknown as AnyHandler;
  const call = {
    colony,
    caller,
    segments: parts.segments,
    path: parts.path ?? '',
    query: query.value,
    body: body.value,
    gone: closingOf(context.env),
  };
  const reply = await handler(call);
  if (!reply.ok) return errorResponse(context, reply.error);
  if ('bytes' in reply.value) return context.body(asBody(reply.value.bytes), 200, { ...reply.value.headers });
  return jsonResponse(context, reply.value.body, reply.value.status ?? endpoint.status);
}

/** Aborted when the connection of a call is closed, answered or not. */
export function closingOf({ outgoing }: HttpBindings): AbortSignal {
  const closing = new AbortController();
  if (outgoing.closed) closing.abort();
  else outgoing.once('close', () => closing.abort());
  return closing.signal;
}

interface Admitted {
  readonly colony: Colony | null;
  readonly caller: Caller;
  readonly parts: AddressParts;
}

/** Who calls, on which colony, at which address (HA1). Also the way in for upgrades to WebSocket. */
export function admit(
  tools: Pick<HttpTools, 'directory' | 'gate' | 'isOriginAllowed'>,
  endpoint: Endpoint,
  target: Target,
  incoming: IncomingMessage,
  redeem: (colony: string) => Caller | null = () => null,
): Result<Admitted, ErrorFacts> {
  const { origin } = incoming.headers;
  if (origin !== undefined && !tools.isOriginAllowed(origin)) return no(errorFacts('origin_refused', origin));
  const parts = matchAddress(endpoint.path, target.path);
  if (parts === null) return no(errorFacts('invalid_address', target.path));
  const id = parts.segments.colony ?? null;
  const colony = id === null ? null : tools.directory.get(id);
  const ticketed = id === null ? null : redeem(id);
  const place = id === null ? 'daemon' : (colony ?? 'nowhere');
  const caller =
    ticketed === null ? tools.gate.admit(bearerToken(incoming), place, endpoint.authorization) : ok(ticketed);
  if (!caller.ok) return caller;
  if (id !== null && colony === null) return no(errorFacts('unknown_colony', id));
  return ok({ colony, caller: caller.value, parts });
}

async function checkedBody(
  tools: HttpTools,
  endpoint: Endpoint,
  { incoming, outgoing }: HttpBindings,
): Promise<Result<unknown, ErrorFacts>> {
  if (endpoint.request === null) return ok(null);
  const isBytes = endpoint.request === 'bytes';
  const otherType = isBytes ? null : refuseOtherType(incoming);
  if (otherType !== null) return no(otherType);
  let held = 0;
  outgoing.once('close', () => tools.bodies.release(held));
  const bytes = await readBody(incoming, endpoint.bodyBytes, tools.bodies, (part) => {
    held += part;
  });
  if (!bytes.ok || isBytes) return bytes;
  const json = parseJson(bytes.value);
  return json.ok ? validate(endpoint.request as Exclude<Endpoint['request'], 'bytes' | null>, json.value) : json;
}

/** An address that is not in the table, or a method that its address does not take (HA3). */
function answerUnknown(tools: HttpTools, context: CallContext): Response | Promise<Response> {
  announceOrigin(tools, context);
  const { path } = splitTarget(context.env.incoming.url ?? '/');
  const methods = methodsOf(path);
  if (methods.length === 0) return errorResponse(context, errorFacts('not_found', path));
  const row = rowsOf(path).find(([, endpoint]) => endpoint.method === context.req.method);
  // The router folded dot segments away; the raw address is one of the table and is answered as that.
  if (row !== undefined) return answer(tools, row[0], row[1], context);
  const allow = methods.join(', ');
  const { origin } = context.env.incoming.headers;
  if (context.req.method !== 'OPTIONS') {
    return errorResponse(context, errorFacts('method_not_allowed', context.req.method), { allow });
  }
  const mayCall = origin !== undefined && tools.isOriginAllowed(origin);
  return context.body(null, 204, { allow, ...(mayCall ? preflightHeaders(allow) : {}) });
}

function preflightHeaders(allow: string): Record<string, string> {
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  };
}

/** Rows of the table that an address matches. */
function rowsOf(path: string): [EndpointName, Endpoint][] {
  const rows = Object.entries(endpoints) as [EndpointName, Endpoint][];
  return rows.filter(([, endpoint]) => matchAddress(endpoint.path, path) !== null);
}

/** Methods that an address takes. */
function methodsOf(path: string): string[] {
  const methods = new Set(rowsOf(path).map(([, { method }]) => method as string));
  if (methods.has('GET')) methods.add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods];
}

function internalError(tools: HttpTools, name: string, error: unknown, context: CallContext): Response {
  const known = error instanceof Error ? error : new Error(String(error));
  tools.logger.error('a call failed', { endpoint: name, problem: known.message, stack: known.stack });
  return errorResponse(context, errorFacts('internal'));
}

function asBody(bytes: Uint8Array | string): string | Uint8Array<ArrayBuffer> {
  return typeof bytes === 'string' ? bytes : (bytes as Uint8Array<ArrayBuffer>);
}

function jsonResponse(
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

/** The one form of every error (HA3). */
export function errorResponse(context: CallContext, error: ErrorFacts, headers: Record<string, string> = {}): Response {
  const extra: Record<string, string> = { ...headers };
  if (error.code === 'unauthorized') extra['www-authenticate'] = 'Bearer';
  if (errorCatalogue[error.code].status === 429) extra['retry-after'] = '1';
  return jsonResponse(context, { error }, errorCatalogue[error.code].status, extra);
}
