// The pure state machine of a colony.

export type { Applied, CommandReply } from './apply-port.ts';
export type { ArchivedIntent, ArchivedLanding, ArchivedProposal } from './archived.ts';
export type {
  Command,
  CommandKind,
  CommandOf,
  IntentChange,
  IntentDraft,
  LeaseGrant,
  ProposalContent,
  ProposalStatus,
  Quarantine,
  Replies,
  WaitReason,
} from './command.ts';
export type { Effect } from './effect.ts';
export type { Event, EventKind, EventOf, LeaseEnd } from './event.ts';
export type * from './model.ts';
export {
  type CycleLanding,
  type MergeFact,
  type Observation,
  type Plan,
  type PlanFacts,
  type PlanInput,
  type PlannedLanding,
  type PlanTree,
  pendingTrunk,
} from './plan-port.ts';
export { defaultPolicy, type Limits, type Policy, type ReadGrain } from './policy.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
