// HTTP: one route per row of the endpoint table, one way through for every call.
//
// Order of a call: open for calls? → whose page? → which colony, whose token? → query → body → handler → answer.
//
//   HA1. Nothing of a body is read before the token was found good.
//   HA2. A handler is called once, with a call that passed every check.
//   HA3. Every error has the one form, also for addresses and methods that do not exist.

import type { IncomingMessage } from 'node:http';
import { no, ok, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { type Endpoint, type EndpointName, type ErrorFacts, endpoints } from '@firetrident/protocol';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { type AddressParts, matchAddress, splitTarget, type Target } from './address.ts';
import { bearerToken, type Caller } from './auth.ts';
import { parseJson, readBody, refuseOtherType } from './body.ts';
import type { RawReply } from './endpoint-types.ts';
import { errorFacts } from './errors.ts';
import {
  announceOrigin,
  type CallContext,
  closingOf,
  counted,
  errorResponse,
  type HttpTools,
  internalError,
  jsonResponse,
} from './http-call.ts';
import { addMcpRoute } from './mcp/route.ts';
import { readQuery, validate } from './validation.ts';

type App = Hono<{ Bindings: HttpBindings }>;
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

function answer(tools: HttpTools, name: EndpointName, endpoint: Endpoint, context: CallContext): Promise<Response> {
  return counted(tools, name, context, () => pass(tools, name, endpoint, context));
}

async function pass(tools: HttpTools, name: EndpointName, endpoint: Endpoint, context: CallContext): Promise<Response> {
  const { incoming } = context.env;
  if (tools.inFlight.isClosed) return errorResponse(context, errorFacts('shutting_down'), { connection: 'close' });
  const target = splitTarget(incoming.url ?? '/');
  const admitted = admit(tools, endpoint, target, incoming);
  if (!admitted.ok) {
    // Whoever has no good token keeps no connection.
    const isStranger = admitted.error.code === 'unauthorized';
    return errorResponse(context, admitted.error, isStranger ? { connection: 'close' } : {});
  }
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
  const reply = await handler(call); // (HA2)
  if (!reply.ok) return errorResponse(context, reply.error);
  if ('bytes' in reply.value) return context.body(asBody(reply.value.bytes), 200, { ...reply.value.headers });
  return jsonResponse(context, reply.value.body, reply.value.status ?? endpoint.status);
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

function asBody(bytes: Uint8Array | string): string | Uint8Array<ArrayBuffer> {
  return typeof bytes === 'string' ? bytes : (bytes as Uint8Array<ArrayBuffer>);
}
