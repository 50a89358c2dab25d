// `/mcp`: the way in for clients of the Model Context Protocol, in both of its eras.
//
// The library decides the era of each request and speaks its form; here it is decided who may speak at all.
//
//   MR1. Nothing of a body is read before Origin, Host and token were found good.
//   MR2. Only an agent's token opens this door: what is done here is done in an agent's name.
//   MR3. A request is a sign of life: leases that have run for half of their time are renewed, so that a model that
//        thinks does not lose its work.

import { no, ok, type Result } from '@firetrident/base';
import { type ErrorFacts, wireLimits } from '@firetrident/protocol';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { type AgentCaller, bearerToken } from '../auth.ts';
import { parseJson, readBody, refuseOtherType } from '../body.ts';
import { errorFacts } from '../errors.ts';
import { type CallContext, closingOf, counted, errorResponse, type HttpTools } from '../http-call.ts';
import type { Passed, Protocol } from './protocol.ts';

/** Where clients of the protocol connect. */
export const mcpPath = '/mcp';

type Bindings = { Bindings: HttpBindings };

/** Adds the address to the application. */
export function addMcpRoute(app: Hono<Bindings>, tools: HttpTools): void {
  const { handlers, logger } = tools;
  let loading: Promise<Protocol> | null = null;
  const protocol = () => {
    loading ??= import('./protocol.ts').then(({ createProtocol }) => createProtocol(handlers, logger));
    return loading;
  };
  app.options(mcpPath, (context) => preflight(tools, context));
  app.all(mcpPath, (context) => counted(tools, 'mcp', context, async () => serve(tools, await protocol(), context)));
}

async function serve(tools: HttpTools, protocol: Protocol, context: CallContext): Promise<Response> {
  if (tools.inFlight.isClosed) return errorResponse(context, errorFacts('shutting_down'), { connection: 'close' });
  const admitted = admitAgent(tools, protocol, context);
  if (!admitted.ok) return errorResponse(context, admitted.error);
  const caller = admitted.value;
  const { incoming } = context.env;
  const body = context.req.method === 'POST' ? await sentMessage(tools, context) : ok(undefined);
  if (!body.ok) return errorResponse(context, body.error, incoming.readableEnded ? {} : { connection: 'close' });
  await renewLeases(caller);
  const passed: Passed = { caller, gone: closingOf(context.env) };
  const authInfo = { token: '', clientId: caller.agent.id, scopes: [], extra: { ...passed } };
  const response = await protocol.fetch(context.req.raw, { authInfo, parsedBody: body.value });
  for (const [name, value] of context.res.headers) response.headers.set(name, value);
  return response;
}

/** Who calls (MR1, MR2). */
function admitAgent(tools: HttpTools, protocol: Protocol, context: CallContext): Result<AgentCaller, ErrorFacts> {
  const { incoming } = context.env;
  const { origin, host } = incoming.headers;
  if (origin !== undefined && !tools.isOriginAllowed(origin)) return no(errorFacts('origin_refused', origin));
  if (tools.hosts !== null && !protocol.isHost(host ?? null, tools.hosts)) {
    return no(errorFacts('host_refused', host ?? null));
  }
  const caller = tools.gate.admit(bearerToken(incoming), 'daemon', 'any');
  if (!caller.ok) return caller;
  if (caller.value.kind === 'agent') return ok(caller.value);
  const hint = 'Register an agent with POST agents and send its token, or let `firetrident mcp` do both.';
  return no(errorFacts('forbidden', null, null, { hint }));
}

async function sentMessage(tools: HttpTools, { env }: CallContext): Promise<Result<unknown, ErrorFacts>> {
  const { incoming, outgoing } = env;
  const otherType = refuseOtherType(incoming);
  if (otherType !== null) return no(otherType);
  let held = 0;
  outgoing.once('close', () => tools.bodies.release(held));
  const bytes = await readBody(incoming, wireLimits.proposeBytes, tools.bodies, (part) => {
    held += part;
  });
  return bytes.ok ? parseJson(bytes.value) : bytes;
}

/** Renews what has run for half of its time (MR3). What cannot be renewed is told by the tool that needs it. */
async function renewLeases({ colony, agent }: AgentCaller): Promise<void> {
  const { leases, agents, policy } = colony.state;
  const due = colony.now() + policy.leaseMs / 2;
  const old = (agents.get(agent.id)?.leases ?? []).flatMap((id) => {
    const lease = leases.get(id);
    const isOld =
      lease !== undefined && lease.windowEndsAt === null && lease.expiresAt !== null && lease.expiresAt <= due;
    return isOld ? [lease] : [];
  });
  const renewed = old.map(({ id, epoch }) =>
    colony.submit({ kind: 'heartbeat', agent: agent.id, lease: id, epoch, claims: [] }),
  );
  await Promise.all(renewed);
}

function preflight(tools: HttpTools, context: CallContext): Response {
  const { origin } = context.env.incoming.headers;
  const allow = 'GET, POST, DELETE, OPTIONS';
  if (origin === undefined || !tools.isOriginAllowed(origin)) return context.body(null, 204, { allow });
  return context.body(null, 204, {
    allow,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': allow,
    'access-control-allow-headers':
      'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
    'access-control-max-age': '600',
    vary: 'origin',
  });
}
