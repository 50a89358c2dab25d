// What the daemon answers about colonies, intents, agents and leases.
//
// Clients take their types from here; additions are free, a change is a decision.

import { z } from 'zod';
import {
  agentIdField,
  attentionIdField,
  colonyIdField,
  epochField,
  intentIdField,
  landingIdField,
  leaseIdField,
  listedPath,
  namedPath,
  oidField,
  preservedIdField,
  proposalIdField,
  timeField,
} from './fields.ts';
import { resolvedPolicySchema } from './policy.ts';

const count = z.int().min(0);
const counters = z.record(z.string(), count);

export const intentStateField = z.enum(['open', 'taken', 'proposed', 'landed', 'closed', 'blocked', 'abandoned']);

const trunkSchema = z.strictObject({
  branch: z.string(),
  commit: oidField,
  paused: z.boolean().describe('Whether a person paused landing.'),
  rewoundTo: oidField
    .nullable()
    .describe('Set when someone else rewrote trunk: landing stands still until it is accepted.'),
});

export const colonyCreated = z.strictObject({
  id: colonyIdField,
  trunk: trunkSchema,
  repository: z.string().describe('Directory of the bare repository, for stock git on the daemon’s machine.'),
  policy: resolvedPolicySchema,
  createdAt: timeField,
  intents: z.array(intentIdField).describe('Intents made from `spec`, in its order.'),
});

const regionRow = z.strictObject({
  region: z.string(),
  claims: count,
  intensity: z.number(),
  inFlight: count,
  admitted: z.number().nullable().describe('Leases that may be in flight; null while admission is open.'),
  sigma: z
    .number()
    .describe('Stale returns that the region’s landings of the last minute or more caused, per landing.'),
  inhibition: z.number().describe('The factor, 1 to 8, that the region’s lane is slowed by.'),
  laneDelayMs: z.number().describe('The interval of the region’s lane; 0 while it is not inhibited.'),
  queued: count,
  landedPerMin: z.number().nullable(),
});

/** Means over the last cycles, in milliseconds unless the name says otherwise. */
export const cycleFiguresSchema = z.strictObject({
  cycles: count,
  queueWaitMs: z.number().describe('From the proposal to the start of the cycle that took it.'),
  planMs: z.number().describe('Planning, building and verifying.'),
  buildMs: z.number(),
  verifyMs: z.number(),
  writeMs: z.number(),
  refsMs: z.number(),
  journalMs: z.number(),
  cycleMs: z.number(),
  proposalsPerCycle: z.number(),
  cycleMsP50: z.number().describe('Median of the whole cycles.'),
  batchSizeP50: z.number().describe('Median of what one lane handed to one cycle.'),
  verdictsRecalled: count.describe(
    'Observations and merges that were recalled since the start, because nothing moved.',
  ),
  verdictsFound: count.describe('Observations and merges that had to be found since the start.'),
});

export const colonyPage = z.strictObject({
  id: colonyIdField,
  trunk: trunkSchema,
  repository: z.string(),
  policy: resolvedPolicySchema,
  createdAt: timeField.nullable(),
  intents: counters.describe('Intents by state; those that ended, since the colony began.'),
  takeable: count.describe('Open intents that wait for no other.'),
  agents: counters.describe('Agents by state.'),
  leases: counters.describe('Leases by state.'),
  proposals: counters.describe('Proposals by state or outcome, since the colony began.'),
  landings: count,
  externalLandings: count.describe('Landings that someone else pushed; they count as landings too.'),
  queued: count,
  reservations: z
    .array(
      z.strictObject({
        proposal: proposalIdField,
        agent: agentIdField,
        region: z.string(),
        until: timeField,
        held: count.describe('Proposals of others that wait for its end.'),
      }),
    )
    .describe('What came back too often and is given time to land, the oldest first.'),
  preserved: count,
  attention: count.describe('Things that wait for a person.'),
  sigma: z.number().describe('Stale returns per landing over the whole colony.'),
  workedMs: count.describe('Work on all proposals, since the colony began.'),
  wastedMs: count.describe('What of it was lost by returns, as far as it is known.'),
  wastedTokens: count.describe('Tokens that were lost by returns, of those that agents declared.'),
  regions: z.array(regionRow),
  cycle: cycleFiguresSchema,
});

export const colonyList = z.strictObject({
  colonies: z.array(
    z.strictObject({ id: colonyIdField, trunk: trunkSchema, repository: z.string(), createdAt: timeField.nullable() }),
  ),
});

export const colonyDeleted = z.strictObject({ id: colonyIdField, deleted: z.literal(true) });
export const policyAnswer = z.strictObject({ policy: resolvedPolicySchema });
export const decideAnswer = z.strictObject({ enabled: z.literal(false) });
export const trunkAnswer = z.strictObject({ trunk: trunkSchema });

export const intentsCreated = z.strictObject({
  intents: z.array(
    z.strictObject({
      id: intentIdField,
      key: z.string().exactOptional(),
      state: intentStateField,
      known: z.literal(true).exactOptional().describe('Its key was known: nothing was made.'),
      duplicateOf: z.array(intentIdField).exactOptional(),
    }),
  ),
});

export const intentPage = z.strictObject({
  id: intentIdField,
  key: z.string().exactOptional(),
  title: z.string(),
  body: z.string(),
  paths: z.array(z.string()),
  learnedPaths: z
    .array(z.string())
    .describe('Paths that earlier landings suggest; they count, with half their weight, while `paths` is empty.'),
  priority: z.number(),
  after: z.array(intentIdField),
  waitingOn: z.array(intentIdField).describe('Dependencies that have not ended yet.'),
  parent: intentIdField.nullable(),
  labels: z.array(z.string()),
  state: intentStateField,
  createdAt: timeField,
  returns: count,
  attempts: count,
  lease: leaseIdField.nullable(),
  duplicateOf: z.array(intentIdField),
  reason: z.string().nullable(),
  landings: z.array(landingIdField),
});

export const intentList = z.strictObject({ intents: z.array(intentPage), next: intentIdField.exactOptional() });

export const agentRegistered = z.strictObject({
  agentId: agentIdField,
  token: z.string().describe('Shown once; only its hash is kept.'),
});

export const agentPage = z.strictObject({
  id: agentIdField,
  name: z.string(),
  kind: z.string(),
  labels: z.array(z.string()),
  workspace: z.enum(['ref', 'fork', 'checkout']),
  state: z.enum(['idle', 'working', 'stopped']),
  registeredAt: timeField,
  leases: z.array(leaseIdField),
});

export const agentList = z.strictObject({ agents: z.array(agentPage) });
export const agentStopped = z.strictObject({ agentId: agentIdField, state: z.literal('stopped') });

export const joinTokenCreated = z.strictObject({
  token: z.string().describe('Shown once; only its hash is kept.'),
  agents: count,
  expiresAt: timeField.nullable(),
});

/** What a landing changed of what an agent read or claimed. */
export const headsUpLanding = z.strictObject({
  landing: landingIdField,
  intent: z.strictObject({ id: intentIdField.nullable(), title: z.string() }),
  paths: z.array(z.strictObject({ ...namedPath, why: z.enum(['read', 'claimed']) })),
  more: count.describe('Paths that are not listed.'),
});

/** What an agent at work was not told yet. */
export const noticeSchema = z.strictObject({
  kind: z.literal('heads-up'),
  message: z.string().describe('The same in one sentence.'),
  lease: leaseIdField,
  trunk: oidField.describe('The tip of trunk, which shows all of it.'),
  landings: z.array(headsUpLanding),
  more: count.describe('Landings that are not listed.'),
});
export type Notice = z.output<typeof noticeSchema>;
const notices = z
  .array(noticeSchema)
  .describe('What changed under the agent since its last answer; each is given once.');

export const takeGranted = z.strictObject({
  intent: z.strictObject({
    id: intentIdField,
    title: z.string(),
    body: z.string(),
    paths: z.array(z.string()),
    learnedPaths: z.array(z.string()).describe('As in the intent.'),
    labels: z.array(z.string()),
    returns: count,
  }),
  lease: z.strictObject({ id: leaseIdField, epoch: epochField, expiresAt: timeField }),
  base: z.strictObject({ commit: oidField }),
  workspace: z.strictObject({
    kind: z.enum(['ref', 'fork', 'checkout']),
    ref: z.string().exactOptional(),
    remote: z.string().exactOptional(),
    path: z.string().exactOptional(),
  }),
  lessons: z.array(z.string()),
  waitedMs: z.int().min(0).exactOptional().describe('How long this take waited until there was work, if it waited.'),
  notices,
});

export const takeWait = z.strictObject({
  wait: z.strictObject({ reason: z.string(), retryAfterMs: z.int().min(0) }),
  notices,
});

/** A take gives work, or the reason to wait. */
export const takeAnswer = z.union([takeGranted, takeWait]);
export const heartbeatAnswer = z.strictObject({ expiresAt: timeField.nullable(), notices });
export const leaseEnded = z.strictObject({
  lease: leaseIdField,
  ended: z.enum(['released', 'completed', 'failed']),
  notices,
});

export const blobAnswer = z.strictObject({ blob: oidField });

const cause = {
  landing: landingIdField.nullable(),
  intent: z.strictObject({ id: intentIdField.nullable(), title: z.string() }),
  diff: z.string(),
};

export const briefSchema = z.strictObject({
  trunk: oidField,
  reads: z.array(
    z.strictObject({
      ...namedPath,
      dir: z.string().exactOptional(),
      dirBase64: z.string().exactOptional(),
      glob: z.string().exactOptional(),
      symbol: z.string().exactOptional(),
      signature: z.boolean().exactOptional(),
      lines: z.tuple([z.int(), z.int()]).exactOptional(),
      was: z.string().nullable(),
      now: z.string().nullable(),
      ...cause,
    }),
  ),
  writes: z.array(
    z.strictObject({
      ...namedPath,
      kind: z.enum([
        'content',
        'delete/edit',
        'add/add',
        'file/directory',
        'mode',
        'binary',
        'parse',
        'strict',
        'case',
        'chain',
      ]),
      base: oidField.nullable(),
      tip: oidField.nullable(),
      baseMode: z.string().nullable(),
      tipMode: z.string().nullable(),
      regenerate: z
        .string()
        .exactOptional()
        .describe('Shell command of the policy that makes the path anew from the other files of trunk.'),
      ...cause,
    }),
  ),
});

/** Where a proposal stands: still queued, or its one outcome. */
export const proposalStatus = z.strictObject({
  proposal: proposalIdField,
  state: z.enum(['queued', 'landed', 'unchanged', 'returned', 'rejected', 'superseded']),
  landing: landingIdField.exactOptional(),
  commit: oidField.exactOptional(),
  merged: z.array(listedPath).exactOptional(),
  unchanged: z.array(listedPath).exactOptional(),
  brief: briefSchema.exactOptional(),
  reasons: z.array(z.strictObject({ code: z.string(), message: z.string(), ...namedPath })).exactOptional(),
  preserved: preservedIdField.nullable().exactOptional(),
  repairOf: proposalIdField.exactOptional().describe('The returned proposal that this one answers.'),
  deferred: z
    .strictObject({
      reason: z.literal('reserved'),
      by: proposalIdField.describe('The proposal that goes first, because it came back too often.'),
      until: timeField.describe('When the reservation ends at the latest.'),
    })
    .exactOptional()
    .describe('Why a queued proposal waits longer than for the next cycle.'),
  reserved: z
    .strictObject({ until: timeField.describe('When the reservation ends at the latest.') })
    .exactOptional()
    .describe(
      'It came back too often: until then nobody else changes what it writes and reads, so that its repair lands.',
    ),
  notices: notices.exactOptional(),
});

export const fieldPage = z.strictObject({
  sigma: z.number().describe('Stale returns per landing over the whole colony.'),
  regions: z.array(regionRow),
  paths: z.array(z.strictObject({ path: z.string(), intensity: z.number(), agents: z.array(agentIdField) })),
  crossings: z
    .array(z.strictObject({ cause: z.string(), returned: z.string(), returns: z.number() }))
    .describe('Stale returns of one region’s proposals that landings of another region caused, the most first.'),
});

export const lanesPage = z.strictObject({
  lanes: z.array(
    z.strictObject({
      region: z.string(),
      queued: count,
      inCycle: count.describe('Proposals that the running cycle has taken.'),
      oldestMs: z.number().describe('Age of the proposal that waits longest.'),
    }),
  ),
});

const upstreamStates = [
  'new',
  'paused',
  'in-step',
  'ahead',
  'away',
  'refused',
  'conflict',
  'rewritten',
  'unrelated',
] as const;

export const upstreamAnswer = z.strictObject({
  upstream: z
    .strictObject({
      url: z.string().describe('Without its password.'),
      mode: z.enum(['mirror', 'upstream']),
      branch: z.string(),
      pushesPerMinute: count,
      state: z
        .enum(upstreamStates)
        .describe('new, paused, in-step and ahead are well; the others say what keeps the two apart.'),
      problem: z.string().nullable().describe('Why they are apart, for a person.'),
      commit: oidField.nullable().describe('What stood there at the last look.'),
      lookedAt: timeField.nullable(),
      pushedAt: timeField.nullable(),
      pushes: count.describe('Pushes that it took since the daemon started.'),
      failures: count.describe('Tries in a row that failed.'),
      retryAt: timeField.nullable().describe('When it is tried again after a trouble.'),
    })
    .nullable(),
});

export const attentionItem = z.strictObject({
  id: attentionIdField,
  kind: z.string(),
  message: z.string(),
  at: timeField,
  proposal: proposalIdField.exactOptional(),
  intent: intentIdField.exactOptional(),
});
export const attentionList = z.strictObject({ attention: z.array(attentionItem) });
export const attentionResolved = z.strictObject({ id: attentionIdField, resolved: z.literal(true) });

export const ticketCreated = z.strictObject({ ticket: z.string(), expiresAt: timeField });
export const healthPage = z.strictObject({ status: z.literal('serving'), version: z.string() });

/** Every error has this form, whatever the status. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    value: z.unknown(),
    next: z.string(),
    hint: z.string(),
    details: z.record(z.string(), z.unknown()).exactOptional(),
  }),
});

export type ProposalStatusResponse = z.output<typeof proposalStatus>;
export type BriefResponse = z.output<typeof briefSchema>;
export type TakeResponse = z.output<typeof takeAnswer>;
export type TakeGrantedResponse = z.output<typeof takeGranted>;
export type TakeWaitResponse = z.output<typeof takeWait>;
export type HeartbeatResponse = z.output<typeof heartbeatAnswer>;
export type IntentResponse = z.output<typeof intentPage>;
export type AgentResponse = z.output<typeof agentPage>;
export type ColonyResponse = z.output<typeof colonyPage>;
export type ErrorResponse = z.output<typeof errorBody>;
