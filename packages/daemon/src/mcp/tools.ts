// What each tool does: the handler of the endpoint behind it, with an agent's own work filled in.
//
//   TO1. A tool has no rule of its own: what it refuses, the endpoint refuses.

import {
  type AgentId,
  type IntentId,
  type LeaseId,
  no,
  type Oid,
  ok,
  type ProposalId,
  type Result,
} from '@firetrident/base';
import { colonyCounters } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import type {
  EndpointName,
  ErrorFacts,
  McpToolName,
  Notice,
  ParsedRequestOf,
  QueryOf,
  ToolInput,
  ToolOutput,
  ToolWrite,
} from '@firetrident/protocol';
import { proposalStatus } from '@firetrident/protocol';
import type { AgentCaller } from '../auth.ts';
import { namedPath } from '../convert/paths.ts';
import { timeTextOrNull } from '../convert/times.ts';
import type { Call, HandledName, Handlers, Reply } from '../endpoint-types.ts';
import { errorFacts, refusalFacts } from '../errors.ts';
import { asText, wholeWrites } from './edits.ts';
import { afterProposal, afterTake } from './next-step.ts';

/** One call of a tool, its arguments checked. */
export interface ToolCall<Name extends McpToolName> {
  readonly caller: AgentCaller;
  readonly handlers: Handlers;
  readonly input: ToolInput<Name>;
  /** Aborted when nobody hears the answer any more. */
  readonly gone: AbortSignal;
}

/** What a tool answers; notices that the handler behind it has taken along already are in it. */
export type ToolReply<Name extends McpToolName> = ToolOutput<Name> & { readonly notices?: readonly Notice[] };

/** Answers one tool. */
export type ToolAction<Name extends McpToolName> = (
  call: ToolCall<Name>,
) => Promise<Result<ToolReply<Name>, ErrorFacts>>;

/** The action of every tool. */
export const toolActions: { readonly [Name in McpToolName]: ToolAction<Name> } = {
  add_intent: addIntent,
  field: showField,
  propose,
  read: readPath,
  release,
  repair,
  status: showStatus,
  take,
  why: showWhy,
};

interface Asked<Name extends EndpointName> {
  readonly query?: QueryOf<Name>;
  readonly body?: ParsedRequestOf<Name>;
  readonly path?: string;
  readonly segments?: Readonly<Record<string, string>>;
}

type Answering = { readonly caller: AgentCaller; readonly handlers: Handlers; readonly gone: AbortSignal };

/** Asks the handler of an endpoint as the agent itself would over HTTP (TO1). */
async function ask<Name extends HandledName>(
  { caller, handlers, gone }: Answering,
  name: Name,
  asked: Asked<Name>,
): Promise<Result<Reply<Name>, ErrorFacts>> {
  const handler = handlers[name] as unknown as (call: unknown) => Promise<Result<Reply<Name>, ErrorFacts>>;
  const { colony } = caller;
  const call: Omit<Call<Name>, 'colony' | 'caller'> = {
    segments: { colony: colony.id, ...asked.segments },
    path: asked.path ?? '',
    query: asked.query ?? ({} as QueryOf<Name>),
    body: asked.body ?? (null as ParsedRequestOf<Name>),
    gone,
    isTool: true,
  };
  return handler({ ...call, colony, caller });
}

async function take(call: ToolCall<'take'>): Promise<Result<ToolReply<'take'>, ErrorFacts>> {
  const reply = await ask(call, 'take', { body: call.input });
  return reply.ok ? ok({ ...reply.value.body, next: afterTake(reply.value.body) }) : reply;
}

async function propose(call: ToolCall<'propose'>): Promise<Result<ToolReply<'propose'>, ErrorFacts>> {
  const { waitMs, ...input } = call.input;
  const { base } = input;
  const writes = await sentWrites(call.caller.colony, input.writes, typeof base === 'string' ? (base as Oid) : null);
  if (!writes.ok) return writes;
  const body = { ...input, writes: writes.value } as ParsedRequestOf<'propose'>;
  const reply = await ask(call, 'propose', { query: { waitMs: String(waitMs) }, body });
  return reply.ok ? ok({ ...reply.value.body, next: afterProposal(reply.value.body) }) : reply;
}

async function repair(call: ToolCall<'repair'>): Promise<Result<ToolReply<'repair'>, ErrorFacts>> {
  const { waitMs, ...input } = call.input;
  const { colony } = call.caller;
  const trunk = colony.state.proposals.get(input.proposal)?.brief?.trunk ?? null;
  const at = input.base === null ? trunk : (input.base as Oid);
  const writes = await sentWrites(colony, input.writes, at);
  if (!writes.ok) return writes;
  const body = { ...input, writes: writes.value } as ParsedRequestOf<'repair'>;
  const reply = await ask(call, 'repair', { query: { waitMs: String(waitMs) }, body });
  return reply.ok ? ok({ ...reply.value.body, next: afterProposal(reply.value.body) }) : reply;
}

/** The writes with their edits made; `at` is null when they stand on no commit. */
async function sentWrites(colony: Colony, writes: readonly ToolWrite[], at: Oid | null) {
  if (at !== null) return wholeWrites(colony, writes, at);
  const edited = writes.findIndex(({ edits }) => edits !== undefined);
  if (edited < 0) return ok(writes);
  const field = `writes[${edited}].edits`;
  return no(errorFacts('invalid_request', field, null, { message: `${field}: needs a commit as base; send content.` }));
}

async function release(call: ToolCall<'release'>): Promise<Result<ToolReply<'release'>, ErrorFacts>> {
  const { lease, epoch, ended, why } = call.input;
  const next = 'The lease is over. Call take for the next piece of work.';
  if (ended === 'released') {
    const reply = await ask(call, 'release', { body: { lease, epoch, why } });
    return reply.ok ? ok({ ...reply.value.body, next }) : reply;
  }
  if (why === null || why.trim() === '') {
    return no(errorFacts('invalid_request', 'why', null, { message: `why: is needed when the work ended ${ended}.` }));
  }
  const reply = await ask(call, ended === 'completed' ? 'complete' : 'fail', { body: { lease, epoch, why } });
  return reply.ok ? ok({ ...reply.value.body, next }) : reply;
}

async function addIntent(call: ToolCall<'add_intent'>): Promise<Result<ToolReply<'add_intent'>, ErrorFacts>> {
  const reply = await ask(call, 'createIntents', { body: { intents: [call.input] } });
  if (!reply.ok) return reply;
  const [made] = reply.value.body.intents;
  if (made === undefined) return no(errorFacts('internal'));
  const duplicateOf = [...(made.duplicateOf ?? [])];
  const next =
    duplicateOf.length === 0
      ? 'It is in the backlog for any agent to take. Go on with your own work.'
      : 'It is in the backlog, but those in duplicateOf ask for nearly the same: tell the person who runs you.';
  return ok({ next, intent: made.id, state: made.state, duplicateOf });
}

async function showField(call: ToolCall<'field'>): Promise<Result<ToolReply<'field'>, ErrorFacts>> {
  const reply = await ask(call, 'readField', {});
  if (!reply.ok) return reply;
  const { sigma, regions, paths } = reply.value.body;
  const { limit } = call.input;
  const busiest = [...regions].sort(
    (left, right) => busyness(right) - busyness(left) || (left.region < right.region ? -1 : 1),
  );
  const marked = [...paths].sort(
    (left, right) => right.intensity - left.intensity || (left.path < right.path ? -1 : 1),
  );
  const more = { regions: Math.max(0, regions.length - limit), paths: Math.max(0, paths.length - limit) };
  const next = 'Prefer work away from the paths that others mark; nothing here forbids you a path.';
  return ok({ next, sigma, regions: busiest.slice(0, limit), paths: marked.slice(0, limit), more });
}

function busyness(region: ToolOutput<'field'>['regions'][number]): number {
  return region.intensity + region.inFlight + region.queued + region.sigma;
}

async function readPath(call: ToolCall<'read'>): Promise<Result<ToolReply<'read'>, ErrorFacts>> {
  const { path, at, lease } = call.input;
  const query = { ...(at === null ? {} : { at }), ...(lease === null ? {} : { lease }) };
  const file = path === '' || path === '.' || path.endsWith('/') ? null : await ask(call, 'readFile', { path, query });
  if (file?.ok === true) return fileReply(call.input, file.value);
  if (file !== null && file.error.code !== 'unknown_path') return file;
  const folder = await ask(call, 'readTree', { path, query });
  if (!folder.ok) return file ?? folder;
  const next = 'This is a folder. Call read with the path of an entry to go on.';
  return ok({ ...folder.value.body, next });
}

function fileReply(
  input: ToolInput<'read'>,
  { bytes, headers }: Reply<'readFile'>,
): Result<ToolReply<'read'>, ErrorFacts> {
  const raw = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const facts = {
    ...namedPath(input.path),
    commit: headers['x-firetrident-commit'] ?? '',
    blob: headers['x-firetrident-blob'] ?? '',
    mode: headers['x-firetrident-mode'] ?? '',
    bytes: raw.length,
  };
  const next = 'What you read here counts as what your change depends on.';
  const text = asText(raw);
  if (text === null) return ok({ next, ...facts, contentBase64: Buffer.from(raw).toString('base64') });
  const lines = text.split('\n');
  const totalLines = text.endsWith('\n') ? lines.length - 1 : lines.length;
  if (input.lines === null) return ok({ next, ...facts, totalLines, content: text });
  const [from, to] = input.lines;
  if (from > to || from > totalLines) return no(errorFacts('line_out_of_range', from, { lines: totalLines }));
  const last = Math.min(to, totalLines);
  const content = `${lines.slice(from - 1, last).join('\n')}${last < lines.length ? '\n' : ''}`;
  return ok({ next, ...facts, totalLines, lines: [from, last], content });
}

async function showWhy(call: ToolCall<'why'>): Promise<Result<ToolReply<'why'>, ErrorFacts>> {
  const { path, line } = call.input;
  const reply = await ask(call, 'why', { query: { path, line: String(line) } });
  if (!reply.ok) return reply;
  const known = reply.value.body.landing !== null;
  const next = known
    ? 'landing.intent says what the line was made for, and landing.reads what it stood on.'
    : 'The line is older than the colony: the commit is all that is known.';
  return ok({ ...reply.value.body, next });
}

async function showStatus(call: ToolCall<'status'>): Promise<Result<ToolReply<'status'>, ErrorFacts>> {
  const { caller, input } = call;
  const { colony } = caller;
  const { proposal } = input;
  const asked = proposal === null ? null : await ask(call, 'readProposal', proposalAsked(proposal, input.waitMs));
  if (asked !== null && !asked.ok) return asked;
  const leases = await ownLeases(colony, caller.agent.id);
  if (!leases.ok) return leases;
  const status = asked?.value.body ?? null;
  const next = status !== null ? afterProposal(status) : afterStatus(leases.value);
  const body = { next, colony: atAGlance(colony), agent: caller.agent.id, leases: leases.value };
  if (status === null) return ok(body);
  const { notices, ...rest } = status;
  return ok({
    ...body,
    proposal: proposalStatus.omit({ notices: true }).parse(rest),
    ...(notices === undefined ? {} : { notices }),
  });
}

function proposalAsked(proposal: ProposalId, waitMs: number): Asked<'readProposal'> {
  return { segments: { proposal }, query: { waitMs: String(waitMs) } };
}

type OwnLease = ToolOutput<'status'>['leases'][number];

function afterStatus(leases: readonly OwnLease[]): string {
  const returned = leases.flatMap(({ proposals }) => proposals).find(({ state }) => state === 'returned');
  if (returned !== undefined) return `Call status with proposal ${returned.proposal} to see its brief, then repair it.`;
  const queued = leases.flatMap(({ proposals }) => proposals).at(0);
  if (queued !== undefined) return `Call status with proposal ${queued.proposal} and waitMs 30000 to hear its outcome.`;
  const lease = leases.at(-1);
  if (lease === undefined) return 'You hold no lease. Call take for work.';
  return `Go on with ${lease.intent.id}, then call propose with lease ${lease.lease} and epoch ${lease.epoch}, against base ${lease.base}.`;
}

async function ownLeases(colony: Colony, agent: AgentId): Promise<Result<OwnLease[], ErrorFacts>> {
  const { state } = colony;
  const rows: OwnLease[] = [];
  for (const id of state.agents.get(agent)?.leases ?? []) {
    const lease = state.leases.get(id as LeaseId);
    if (lease === undefined) continue;
    const { epoch, expiresAt, base } = lease;
    const proposals = lease.proposals.flatMap((each) => {
      const proposal = state.proposals.get(each);
      return proposal === undefined ? [] : [{ proposal: each, state: proposal.state }];
    });
    const intent = await colony.intent(lease.intent as IntentId);
    if (!intent.ok) return no(refusalFacts(intent.error));
    const { title, body, paths } = intent.value;
    rows.push({
      lease: id,
      epoch,
      expiresAt: timeTextOrNull(expiresAt),
      base,
      intent: { id: lease.intent, title, body, paths: [...paths] },
      proposals,
    });
  }
  return ok(rows);
}

function atAGlance(colony: Colony): ToolOutput<'status'>['colony'] {
  const { state } = colony;
  const counters = colonyCounters(state);
  return {
    id: colony.id,
    branch: state.branch,
    trunk: state.tip,
    paused: state.freeze !== null,
    takeable: counters.takeable,
    queued: counters.proposals.queued,
    landings: counters.landings,
    sigma: state.sigma,
  };
}
