// Frames of the live stream: what the server tells, and the calls that an agent may make on its socket.
//
//   LI1. `seq` is the sequence of the journal: strictly increasing, with gaps where an event is not for this reader.
//   LI2. A frame tells one event; `type` is its closed name.

import { z } from 'zod';
import {
  agentIdField,
  attentionIdField,
  cycleIdField,
  intentIdField,
  landingIdField,
  leaseIdField,
  listedPath,
  oidField,
  preservedIdField,
  proposalIdField,
  timeField,
  waitMsField,
} from './fields.ts';
import { briefSchema, headsUpLanding, intentStateField } from './responses.ts';
import { heartbeatRequest, proposeRequest, releaseRequest, repairRequest, takeRequest } from './work-requests.ts';

function frame<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ seq: z.int().min(1), at: timeField, type: z.literal(type), ...shape });
}

const count = z.int().min(0);
/** Whose lease it is, while that is known. */
const holder = { agent: agentIdField.exactOptional(), intent: intentIdField.exactOptional() };
const outcomeFields = { proposal: proposalIdField, intent: intentIdField, agent: agentIdField };

/** Every frame that tells an event (LI1, LI2). */
export const liveFrame = z.discriminatedUnion('type', [
  frame('colony', { change: z.enum(['created', 'started', 'policy']), generation: count.exactOptional() }),
  frame('trunk', { change: z.enum(['paused', 'resumed', 'rewound']), commit: oidField.exactOptional() }),
  frame('intent', {
    intent: intentIdField,
    change: z.enum(['created', 'edited', 'opened', 'landed', 'closed', 'blocked', 'abandoned']),
    state: intentStateField.exactOptional(),
    title: z.string().exactOptional(),
    reason: z.string().nullable().exactOptional(),
    attempts: count.exactOptional(),
  }),
  frame('agent', {
    agent: agentIdField.exactOptional(),
    change: z.enum(['registered', 'stopped', 'invited', 'invitation-ended']),
    name: z.string().exactOptional(),
    kind: z.string().exactOptional(),
  }),
  frame('take', {
    lease: leaseIdField,
    intent: intentIdField,
    agent: agentIdField,
    epoch: count,
    base: oidField,
    expiresAt: timeField,
  }),
  frame('claim', {
    lease: leaseIdField,
    ...holder,
    claims: z.array(z.string()).describe('Paths or globs newly claimed; none when the claims ended.'),
    ended: z.enum(['evaporated', 'agent-stopped']).exactOptional(),
    expiresAt: timeField.nullable().exactOptional(),
  }),
  frame('release', { lease: leaseIdField, ...holder, why: z.string() }),
  frame('propose', {
    proposal: proposalIdField,
    lease: leaseIdField,
    ...holder,
    base: oidField,
    region: z.string(),
    writes: count,
    reads: count,
    repairOf: proposalIdField.exactOptional(),
    answer: z.enum(['confirm', 'amend', 'redo']).exactOptional(),
  }),
  frame('cycle', {
    cycle: cycleIdField,
    change: z.enum(['started', 'intended', 'abandoned']),
    proposals: count.exactOptional(),
    reason: z.string().exactOptional(),
  }),
  frame('landed', {
    ...outcomeFields,
    landing: landingIdField,
    commit: oidField,
    region: z.string(),
    merged: z.array(listedPath).exactOptional(),
    unchanged: z.array(listedPath).exactOptional(),
  }),
  frame('unchanged', { ...outcomeFields, unchanged: z.array(listedPath).exactOptional() }),
  frame('returned', {
    ...outcomeFields,
    expiresAt: timeField,
    causes: z.array(landingIdField).exactOptional(),
    brief: briefSchema.exactOptional(),
  }),
  frame('rejected', {
    ...outcomeFields,
    expiresAt: timeField,
    reasons: z.array(z.strictObject({ code: z.string(), message: z.string(), path: listedPath.exactOptional() })),
  }),
  frame('superseded', { ...outcomeFields, lease: leaseIdField, preserved: preservedIdField.nullable() }),
  frame('deferred', { proposal: proposalIdField }),
  frame('reservation', {
    lease: leaseIdField,
    ...holder,
    change: z.enum(['began', 'held-back', 'ended']),
    proposal: proposalIdField.exactOptional().describe('The return that it is for.'),
    region: z.string().exactOptional(),
    until: timeField.exactOptional(),
    heldBack: z.array(proposalIdField).exactOptional().describe('Proposals that wait for it from now on.'),
    why: z.string().exactOptional(),
  }),
  frame('external', {
    landing: landingIdField,
    from: oidField,
    to: oidField,
    commits: count,
    title: z.string(),
    paths: count.describe('How many paths it changed.'),
  }),
  frame('preserved', {
    preserved: preservedIdField,
    agent: agentIdField.exactOptional(),
    intent: intentIdField.exactOptional(),
    proposal: proposalIdField.exactOptional(),
    why: z.string().exactOptional(),
    commit: oidField.exactOptional(),
  }),
  frame('metric', {
    cycle: cycleIdField,
    landed: count,
    unchanged: count,
    returned: count,
    rejected: count,
    deferred: count,
  }),
  frame('heads-up', {
    lease: leaseIdField,
    agent: agentIdField,
    intent: intentIdField,
    trunk: oidField.describe('The tip of trunk, which shows all of it.'),
    landings: z.array(headsUpLanding),
    more: count.describe('Landings that are not listed.'),
  }),
  frame('sigma', {
    sigma: z.number().describe('Stale returns per landing over the whole colony.'),
    regions: z.array(
      z.strictObject({ region: z.string(), sigma: z.number(), inhibition: z.number(), laneDelayMs: z.number() }),
    ),
  }),
  frame('attention', {
    attention: attentionIdField,
    change: z.enum(['raised', 'resolved']),
    kind: z.string().exactOptional(),
    message: z.string().exactOptional(),
    proposal: proposalIdField.exactOptional(),
    intent: intentIdField.exactOptional(),
  }),
]);

export type LiveFrame = z.output<typeof liveFrame>;
export type LiveFrameType = LiveFrame['type'];

/** Frame types whose names are settled and which no event of this version makes. */
export const plannedFrameTypes = ['checks'] as const;

/** Calls that an agent may make on its socket, with the schema of each body. */
export const frameCalls = {
  take: takeRequest,
  heartbeat: heartbeatRequest,
  propose: proposeRequest,
  repair: repairRequest,
  release: releaseRequest,
} as const;

export type FrameCall = keyof typeof frameCalls;

/** A call frame; its body is checked against the schema of its call. `waitMs` is for propose and repair, as in their addresses. */
export const callFrame = z.strictObject({
  id: z.int().min(0),
  call: z.enum(['take', 'heartbeat', 'propose', 'repair', 'release']),
  body: z.unknown(),
  waitMs: waitMsField.exactOptional(),
});

/** The answer to a call frame. `id` is null when the frame could not be read. */
export const answerFrame = z.union([
  z.strictObject({ id: z.int().min(0), result: z.unknown() }),
  z.strictObject({
    id: z.int().min(0).nullable(),
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      value: z.unknown(),
      next: z.string(),
      hint: z.string(),
      details: z.record(z.string(), z.unknown()).exactOptional(),
    }),
  }),
]);

export type CallFrame = z.output<typeof callFrame>;
export type AnswerFrame = z.output<typeof answerFrame>;

/** Codes with which the server closes a socket. */
export const closeCodes = {
  /** The daemon or the colony shuts down: come back with `?after=`. */
  goingAway: 1001,
  /** What was asked for could not be read: the colony is gone, or its storage fails. */
  trouble: 1011,
  /** The reader was too slow; the reason names the last sequence sent. */
  slowReader: 4001,
  /** The agent was stopped: its token is dead. */
  agentStopped: 4003,
} as const;
