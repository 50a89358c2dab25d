// The policy of a colony as an administrator writes it, and what of it this version does not have rules for.
//
//   PO1. A field without built rules is accepted by the schema in its documented form and then refused by name;
//        it is never stored and ignored.

import { z } from 'zod';
import { globField, text } from './fields.ts';
import { wireLimits } from './limits.ts';

const durationField = z.int().min(1).max(wireLimits.policyDurationMs);
const countField = z.int().min(1).max(10_000_000);

export const limitsSchema = z
  .strictObject({
    agents: countField,
    liveIntents: countField,
    queuedProposals: countField,
    leasesPerAgent: countField,
    chainLength: countField,
    writesPerProposal: countField.max(wireLimits.writes),
    readsPerProposal: countField.max(wireLimits.reads),
    pathsPerIntent: countField,
    claimsPerLease: countField,
    recordedReadsPerLease: countField,
    proposalsPerCycle: countField,
    takesInFlight: countField,
    blobBytes: z.int().min(1).max(wireLimits.blobBytes),
    stagedBytes: z.int().min(1).max(1_099_511_627_776),
    joinTokens: countField,
  })
  .describe('Bounds of the colony. Counts, unless the name says bytes.');

const mergeRuleField = z.union([
  z.enum(['append', 'keys', 'keys:sets', 'imports']),
  z
    .templateLiteral([
      'regenerate:',
      z
        .string()
        .min(1)
        .max(wireLimits.nameCharacters * 20),
    ])
    .refine((rule) => rule.isWellFormed() && !rule.includes('\0'), 'must be text that a shell can be given'),
]);

const adaptiveAdmission = z.strictObject({
  floor: z.int().min(1).max(100_000).describe('Leases in flight that a region always takes on, and where it starts.'),
  ceiling: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .describe('Leases in flight above which no region goes; null for none.'),
  wasteBudget: z.number().gt(0).max(1).describe('Share of the working time of a region that may be redone.'),
});

const grainField = z.enum(['symbol', 'file', 'none']);

const pushesField = z
  .enum(['squash', 'chain'])
  .describe('Several commits of one push land as one proposal, or each as its own, in order.');

/** Every field of a policy. Durations are milliseconds. */
const policyFields = {
  leaseMs: durationField.describe('How long a lease runs without a heartbeat.'),
  claimHalfLifeMs: durationField.describe('Time in which a claim loses half its strength.'),
  repairWindowMs: durationField.describe(
    'How long an agent has to answer a return, and how long a rejected lease stays.',
  ),
  reservationMs: durationField.describe(
    'How long what a proposal needs is reserved after its third return; never longer than repairWindowMs.',
  ),
  starveAfterMs: durationField.describe('Age after which an open intent is offered before every other.'),
  regionDepth: z.int().min(0).max(32).describe('Folders that name a region.'),
  maxAttempts: z.int().min(1).max(1_000).describe('Failed attempts after which an intent is blocked.'),
  admission: z
    .union([z.literal('open'), adaptiveAdmission.partial()])
    .describe('How much work a region takes on at once: bounds that adapt, or "open" for none.'),
  reads: z
    .strictObject({
      default: grainField.exactOptional(),
      paths: z.record(globField, grainField).exactOptional(),
    })
    .describe('How much of a derived read counts: per default, and per glob.'),
  globalInputs: z
    .array(globField)
    .max(wireLimits.globs)
    .describe(
      'Globs of what everything depends on, such as lockfiles: never a derived read, so its moving makes nobody stale.',
    ),
  strict: z.array(globField).max(wireLimits.globs).describe('Globs whose files never land as a merge.'),
  merge: z
    .record(globField, mergeRuleField)
    .describe(
      'Rules by glob for what conflicts as text: the first glob that matches counts. "regenerate:<command>" names the shell command by which whoever answers a return makes the path anew. Arrays of YAML and TOML as sets have no rule in this version.',
    ),
  landing: z
    .strictObject({
      commits: z.enum(['proposal', 'batch']).exactOptional().describe('One commit per proposal or per batch.'),
      pushes: pushesField.exactOptional(),
    })
    .describe('How proposals become commits.'),
  decide: z.looseObject({ enabled: z.boolean() }).describe('Review of proposals. Not built in this version: only off.'),
  checks: z.array(z.unknown()).max(100).describe('Commands that test trunk. Not built in this version: only none.'),
  setup: text(wireLimits.nameCharacters * 20)
    .min(1)
    .nullable()
    .describe('Shell command that prepares a fresh checkout; null when none is needed.'),
  limits: limitsSchema.partial(),
};

/** A policy as sent: every field may be left out, and then keeps its default or its present value. */
export const policySchema = z.strictObject(policyFields).partial();

/** A policy as answered: resolved, every field present. */
export const resolvedPolicySchema = z.strictObject({
  ...policyFields,
  admission: z.union([z.literal('open'), adaptiveAdmission]),
  reads: z.strictObject({ default: grainField, paths: z.record(globField, grainField) }),
  merge: z.record(globField, mergeRuleField),
  landing: z.strictObject({ commits: z.enum(['proposal', 'batch']), pushes: pushesField }),
  decide: z.strictObject({ enabled: z.literal(false) }),
  checks: z.array(z.never()).max(0),
  limits: limitsSchema,
});

/** The switch of the decide prong: API name of the policy's `decide` field. */
export const decidePolicySchema = policyFields.decide;

export type PolicyRequest = z.output<typeof policySchema>;
export type ResolvedPolicy = z.output<typeof resolvedPolicySchema>;

/** The field of a policy whose rules this version does not have, or null (PO1). */
export function unsupportedPolicyField(policy: PolicyRequest): string | null {
  if (Object.entries(policy.merge ?? {}).some(([glob, rule]) => !isBuiltRule(glob, rule))) return 'merge';
  if (policy.checks !== undefined && policy.checks.length > 0) return 'checks';
  if (policy.decide !== undefined && unsupportedDecide(policy.decide)) return 'decide';
  return null;
}

/** Whether a merge rule has code behind it: only JSON has arrays that are sets (PO1). */
function isBuiltRule(glob: string, rule: string): boolean {
  return !(rule === 'keys:sets' && /\.(?:ya?ml|toml)$/i.test(glob));
}

/** Whether a decide policy asks for more than being off (PO1). */
export function unsupportedDecide(decide: z.output<typeof decidePolicySchema>): boolean {
  return decide.enabled || Object.keys(decide).length > 1;
}
