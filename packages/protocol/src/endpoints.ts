// Every endpoint of the daemon: one closed table from which the router, the client's types and the API page are made.
//
//   EP1. An address that is not here does not exist; a method that is not here is not allowed.
//   EP2. `errors` names what is particular to the endpoint; the common ones of its kind are in `commonErrors`.

import type { z } from 'zod';
import type { ErrorCode } from './error-catalogue.ts';
import { wireLimits } from './limits.ts';
import * as looking from './looking-responses.ts';
import { decidePolicySchema, policySchema } from './policy.ts';
import * as requests from './requests.ts';
import * as responses from './responses.ts';
import * as work from './work-requests.ts';

/**
 * Whose token a call takes. `admin`: the administrator's. `agent`: an agent's of this colony. `any`: either.
 * `join`: the administrator's or a join token. `ticket`: either, or a ticket in the address. `none`: nobody's.
 */
export type Authorization = 'none' | 'admin' | 'agent' | 'any' | 'join' | 'ticket';

/** How a request or response body is carried when it is not JSON. */
export type RawBody = 'bytes' | 'metrics' | 'socket';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Address with `:name` for one segment and `*path` for the rest, percent-encoded byte by byte. */
  readonly path: string;
  readonly authorization: Authorization;
  readonly summary: string;
  readonly query: z.ZodType;
  /** Null when the call has no body. */
  readonly request: z.ZodType | 'bytes' | null;
  readonly response: z.ZodType | RawBody;
  readonly status: number;
  readonly bodyBytes: number;
  readonly errors: readonly ErrorCode[];
}

const leaseErrors = ['unknown_lease', 'not_your_lease', 'stale_epoch', 'agent_stopped'] as const;
const pathErrors = ['path_outside', 'path_reserved', 'path_invalid'] as const;
const contentErrors = [
  ...leaseErrors,
  ...pathErrors,
  'path_case_clash',
  'write_basis',
  'writes_clash',
  'read_invalid',
  'glob_invalid',
  'unknown_base',
  'unknown_commit',
  'unknown_blob',
  'unknown_proposal',
  'blob_too_large',
  'staging_full',
  'key_reused',
  'no_change',
  'limit_reached',
] as const;

const plain = { query: requests.noQuery, status: 200, bodyBytes: wireLimits.requestBytes, errors: [] } as const;
const look = { ...plain, method: 'GET', authorization: 'any', request: null, bodyBytes: 0 } as const;
const act = { ...plain, method: 'POST', authorization: 'agent' } as const;
const administer = { ...plain, method: 'POST', authorization: 'admin' } as const;

const colonyEndpoints = {
  createColony: {
    ...administer,
    path: '/api/colonies',
    summary: 'Makes a colony from a repository (by path or URL), or an empty one, optionally with a backlog.',
    request: requests.createColonyRequest,
    response: responses.colonyCreated,
    status: 201,
    bodyBytes: wireLimits.backlogBytes,
    errors: ['colony_exists', 'repository_unusable', 'policy_not_supported'],
  },
  listColonies: {
    ...look,
    authorization: 'admin',
    path: '/api/colonies',
    summary: 'Lists the colonies.',
    response: responses.colonyList,
  },
  readColony: {
    ...look,
    path: '/api/colonies/:colony',
    summary: 'The colony at a glance: trunk, repository, counters, regions, figures of the last cycles.',
    response: responses.colonyPage,
  },
  deleteColony: {
    ...administer,
    method: 'DELETE',
    path: '/api/colonies/:colony',
    summary: 'Deletes the colony with its repository and journal.',
    request: requests.deleteColonyRequest,
    response: responses.colonyDeleted,
    errors: ['confirmation_mismatch'],
  },
  setTrunk: {
    ...administer,
    path: '/api/colonies/:colony/trunk',
    summary: 'Freezes or resumes landing; proposals queue meanwhile.',
    request: requests.setTrunkRequest,
    response: responses.trunkAnswer,
    errors: ['landing_not_frozen'],
  },
  readUpstream: {
    ...administer,
    method: 'GET',
    path: '/api/colonies/:colony/upstream',
    summary: 'How the colony and the repository that it is kept in step with stand.',
    request: null,
    bodyBytes: 0,
    response: responses.upstreamAnswer,
  },
  setUpstream: {
    ...administer,
    method: 'PUT',
    path: '/api/colonies/:colony/upstream',
    summary:
      'Keeps the colony in step with a repository elsewhere; what stands there now is accepted. Answers after the first look.',
    request: requests.setUpstreamRequest,
    response: responses.upstreamAnswer,
  },
  changeUpstream: {
    ...administer,
    method: 'PATCH',
    path: '/api/colonies/:colony/upstream',
    summary: 'Lets the upstream rest, or go on. Going on answers after the next look.',
    request: requests.changeUpstreamRequest,
    response: responses.upstreamAnswer,
    errors: ['no_upstream'],
  },
  retryUpstream: {
    ...administer,
    method: 'POST',
    path: '/api/colonies/:colony/upstream/retry',
    summary: 'Looks at the upstream now, whatever the back-off; answers after the look. What is paused stays so.',
    request: null,
    bodyBytes: 0,
    response: responses.upstreamAnswer,
    errors: ['no_upstream'],
  },
  clearUpstream: {
    ...administer,
    method: 'DELETE',
    path: '/api/colonies/:colony/upstream',
    summary: 'Keeps the colony in step with nothing any more. Nothing changes there or here.',
    request: null,
    bodyBytes: 0,
    response: responses.upstreamAnswer,
  },
  setPolicy: {
    ...administer,
    method: 'PATCH',
    path: '/api/colonies/:colony/policy',
    summary: 'Changes the fields of the policy that are named.',
    request: policySchema,
    response: responses.policyAnswer,
    errors: ['policy_not_supported', 'glob_invalid'],
  },
  setDecidePolicy: {
    ...administer,
    path: '/api/colonies/:colony/decide/policy',
    summary: 'Switches the review of proposals. Only off has rules in this version.',
    request: decidePolicySchema,
    response: responses.decideAnswer,
    errors: ['policy_not_supported'],
  },
} as const satisfies Record<string, Endpoint>;

const intentEndpoints = {
  createIntents: {
    ...act,
    authorization: 'any',
    path: '/api/colonies/:colony/intents',
    summary: 'Adds intents. The same key twice gives the same intent; near duplicates are named.',
    request: requests.createIntentsRequest,
    response: responses.intentsCreated,
    status: 201,
    bodyBytes: wireLimits.backlogBytes,
    errors: ['unknown_dependency', 'dependency_cycle', 'glob_invalid', 'limit_reached'],
  },
  listIntents: {
    ...look,
    path: '/api/colonies/:colony/intents',
    summary: 'Lists intents, newest first.',
    query: requests.listIntentsQuery,
    response: responses.intentList,
  },
  readIntent: {
    ...look,
    path: '/api/colonies/:colony/intents/:intent',
    summary: 'One intent.',
    response: responses.intentPage,
    errors: ['unknown_intent'],
  },
  editIntent: {
    ...administer,
    method: 'PATCH',
    path: '/api/colonies/:colony/intents/:intent',
    summary: 'Changes an intent, abandons it or opens it again.',
    request: requests.editIntentRequest,
    response: responses.intentPage,
    errors: ['unknown_intent', 'intent_not_editable', 'glob_invalid', 'limit_reached'],
  },
} as const satisfies Record<string, Endpoint>;

const agentEndpoints = {
  registerAgent: {
    ...administer,
    authorization: 'join',
    path: '/api/colonies/:colony/agents',
    summary: 'Registers an agent and answers its token, once.',
    request: requests.registerAgentRequest,
    response: responses.agentRegistered,
    status: 201,
    errors: ['unknown_join_token', 'join_token_spent', 'limit_reached'],
  },
  listAgents: {
    ...look,
    path: '/api/colonies/:colony/agents',
    summary: 'Lists the agents that are registered.',
    response: responses.agentList,
  },
  stopAgent: {
    ...act,
    authorization: 'any',
    path: '/api/colonies/:colony/agents/:agent/stop',
    summary: 'Stops an agent: its token dies, its leases end, its work is preserved. An agent may stop itself.',
    request: requests.emptyRequest,
    response: responses.agentStopped,
    errors: ['unknown_agent'],
  },
  createJoinToken: {
    ...administer,
    path: '/api/colonies/:colony/join-tokens',
    summary: 'Makes a token with which a bounded number of agents register themselves.',
    request: requests.createJoinTokenRequest,
    response: responses.joinTokenCreated,
    status: 201,
    errors: ['limit_reached'],
  },
} as const satisfies Record<string, Endpoint>;

const workEndpoints = {
  take: {
    ...act,
    path: '/api/colonies/:colony/take',
    summary: 'Asks for work: an intent with a lease, or a named reason to wait.',
    request: work.takeRequest,
    response: responses.takeAnswer,
    errors: ['unknown_intent', 'intent_not_open', 'intent_waits', 'glob_invalid', 'limit_reached', 'agent_stopped'],
  },
  heartbeat: {
    ...act,
    path: '/api/colonies/:colony/heartbeat',
    summary: 'Keeps the lease, marks paths as worked on, and tells what was read.',
    request: work.heartbeatRequest,
    response: responses.heartbeatAnswer,
    errors: [...leaseErrors, 'glob_invalid', 'path_outside', 'path_invalid', 'limit_reached'],
  },
  release: {
    ...act,
    path: '/api/colonies/:colony/release',
    summary: 'Gives the intent back.',
    request: work.releaseRequest,
    response: responses.leaseEnded,
    errors: leaseErrors,
  },
  complete: {
    ...act,
    path: '/api/colonies/:colony/complete',
    summary: 'Ends an intent that needs no change.',
    request: work.completeRequest,
    response: responses.leaseEnded,
    errors: [...leaseErrors, 'proposal_pending'],
  },
  fail: {
    ...act,
    path: '/api/colonies/:colony/fail',
    summary: 'Gives the intent back with one more attempt counted.',
    request: work.failRequest,
    response: responses.leaseEnded,
    errors: [...leaseErrors, 'proposal_pending'],
  },
  propose: {
    ...act,
    path: '/api/colonies/:colony/propose',
    summary: 'Hands in a change with what was written and what was read. Answered once it is durable.',
    query: requests.waitQuery,
    request: work.proposeRequest,
    response: responses.proposalStatus,
    status: 202,
    bodyBytes: wireLimits.proposeBytes,
    errors: [...contentErrors, 'proposal_pending', 'unknown_predecessor'],
  },
  repair: {
    ...act,
    path: '/api/colonies/:colony/repair',
    summary: 'Answers a return on the same lease: confirm, amend or redo.',
    query: requests.waitQuery,
    request: work.repairRequest,
    response: responses.proposalStatus,
    status: 202,
    bodyBytes: wireLimits.proposeBytes,
    errors: [...contentErrors, 'not_returned', 'confirm_needs_writes', 'repair_out_of_order'],
  },
  readProposal: {
    ...look,
    path: '/api/colonies/:colony/proposals/:proposal',
    summary: 'Where a proposal stands; with waitMs, once it is settled.',
    query: requests.waitQuery,
    response: responses.proposalStatus,
    errors: ['unknown_proposal'],
  },
  putBlob: {
    ...act,
    method: 'PUT',
    authorization: 'any',
    path: '/api/colonies/:colony/blobs',
    summary: 'Sends a file ahead, to be named by its id in a propose.',
    request: 'bytes',
    response: responses.blobAnswer,
    bodyBytes: wireLimits.blobBytes,
    errors: ['blob_too_large', 'staging_full'],
  },
} as const satisfies Record<string, Endpoint>;

const lookingEndpoints = {
  readFile: {
    ...look,
    path: '/api/colonies/:colony/files/*path',
    summary: 'Bytes of a file; recorded as a read when an agent asks under a lease. The id is in X-Firetrident-Blob.',
    query: requests.lookQuery,
    response: 'bytes',
    errors: [...pathErrors, 'unknown_path', 'unknown_commit', 'unknown_lease', 'not_your_lease', 'limit_reached'],
  },
  readTree: {
    ...look,
    path: '/api/colonies/:colony/tree/*path',
    summary: 'What lies in a folder, one level.',
    query: requests.lookQuery,
    response: looking.treePage,
    errors: [...pathErrors, 'unknown_path', 'unknown_commit', 'unknown_lease', 'not_your_lease'],
  },
  listLandings: {
    ...look,
    path: '/api/colonies/:colony/landings',
    summary: 'Lists landings, newest first.',
    query: requests.listLandingsQuery,
    response: looking.landingList,
  },
  readLanding: {
    ...look,
    path: '/api/colonies/:colony/landings/:landing',
    summary: 'One landing with its lineage.',
    response: looking.landingPage,
    errors: ['unknown_landing'],
  },
  revertLanding: {
    ...act,
    authorization: 'any',
    path: '/api/colonies/:colony/landings/:landing/revert',
    summary: 'Makes an intent with the reverse change and proposes it, by the same rules as any other.',
    request: requests.emptyRequest,
    response: looking.revertAnswer,
    status: 202,
    errors: ['unknown_landing', 'not_revertable', 'limit_reached'],
  },
  why: {
    ...look,
    path: '/api/colonies/:colony/why',
    summary: 'Why a line is the way it is: the commit that made it, and its landing.',
    query: requests.whyQuery,
    response: looking.whyPage,
    errors: [...pathErrors, 'unknown_path', 'line_out_of_range'],
  },
  listPreserved: {
    ...look,
    path: '/api/colonies/:colony/preserved',
    summary: 'Work that did not land and is kept under refs of its own.',
    response: looking.preservedList,
  },
  readField: {
    ...look,
    path: '/api/colonies/:colony/field',
    summary: 'Who works where: claims and landings per region and path.',
    response: responses.fieldPage,
  },
  readLanes: {
    ...look,
    path: '/api/colonies/:colony/lanes',
    summary: 'What is queued, per region.',
    response: responses.lanesPage,
  },
  listAttention: {
    ...look,
    path: '/api/colonies/:colony/attention',
    summary: 'What waits for a person.',
    response: responses.attentionList,
  },
  resolveAttention: {
    ...administer,
    path: '/api/colonies/:colony/attention/:attention',
    summary: 'Takes an item off the attention queue.',
    request: requests.resolveAttentionRequest,
    response: responses.attentionResolved,
    errors: ['unknown_attention'],
  },
  live: {
    ...look,
    authorization: 'ticket',
    path: '/api/colonies/:colony/live',
    summary: 'WebSocket: events as they become durable, with replay; an agent’s socket also takes calls.',
    query: requests.liveQuery,
    response: 'socket',
    status: 101,
    errors: ['upgrade_required', 'origin_refused'],
  },
  createTicket: {
    ...act,
    authorization: 'any',
    path: '/api/tickets',
    summary: 'Makes a short-lived ticket that opens one socket, for browsers.',
    request: requests.createTicketRequest,
    response: responses.ticketCreated,
    status: 201,
    errors: ['unknown_colony', 'too_many_requests'],
  },
  readColonyMetrics: {
    ...look,
    authorization: 'admin',
    path: '/api/colonies/:colony/metrics',
    summary: 'Metrics of one colony, in the text format of Prometheus.',
    response: 'metrics',
  },
  readMetrics: {
    ...look,
    authorization: 'admin',
    path: '/metrics',
    summary: 'Metrics of the daemon and of every colony, in the text format of Prometheus.',
    response: 'metrics',
  },
  readHealth: {
    ...look,
    authorization: 'none',
    path: '/api/health',
    summary: 'Whether the daemon serves. Needs no token.',
    response: responses.healthPage,
  },
} as const satisfies Record<string, Endpoint>;

/** The whole table (EP1). */
export const endpoints = {
  ...colonyEndpoints,
  ...intentEndpoints,
  ...agentEndpoints,
  ...workEndpoints,
  ...lookingEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** Errors that the kind of an endpoint brings along, beside its own (EP2). */
export function commonErrors(endpoint: Endpoint): readonly ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'shutting_down', 'internal'];
  if (endpoint.authorization !== 'none') codes.push('unauthorized', 'forbidden');
  if (endpoint.path.includes(':colony')) codes.push('unknown_colony', 'colony_closing', 'storage_unavailable');
  if (endpoint.path.includes('*path')) codes.push('invalid_address');
  if (endpoint.request !== null) codes.push('body_too_large', 'unsupported_media_type');
  if (endpoint.request !== null && endpoint.request !== 'bytes') codes.push('invalid_json');
  return codes;
}

/** The body that a caller of this endpoint sends, before defaults. */
export type RequestOf<Name extends EndpointName> = (typeof endpoints)[Name]['request'] extends infer Schema extends
  z.ZodType
  ? z.input<Schema>
  : null;

/** The same body as the daemon sees it, defaults filled in. */
export type ParsedRequestOf<Name extends EndpointName> =
  (typeof endpoints)[Name]['request'] extends infer Schema extends z.ZodType
    ? z.output<Schema>
    : (typeof endpoints)[Name]['request'] extends 'bytes'
      ? Uint8Array
      : null;

export type QueryOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['query']>;

/** What the endpoint answers as JSON; `never` for raw bodies. */
export type ResponseOf<Name extends EndpointName> = (typeof endpoints)[Name]['response'] extends infer Schema extends
  z.ZodType
  ? z.output<Schema>
  : never;
