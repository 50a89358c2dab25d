// The pure state machine of a colony.

export { apply } from './apply.ts';
export type { Applied, CommandReply } from './apply-port.ts';
export type { ArchivedIntent, ArchivedLanding, ArchivedProposal, ReturnedWork } from './archived.ts';
export { VerdictMemory } from './closure.ts';
export type {
  Command,
  CommandKind,
  CommandOf,
  HeadsUpsOfLease,
  HeldBack,
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
export { completePolicy, readEvent } from './event-reading.ts';
export { evolve, evolveAll } from './evolve.ts';
export { FakeFacts, type FakeQuery } from './fake-facts.ts';
export { type FakeContent, FakeContents, fakeHash } from './fake-facts-content.ts';
export { type FakeProposal, fakeCycle, fakeProposal } from './fake-facts-proposal.ts';
export { type FakeListed, FakeTree } from './fake-facts-tree.ts';
export { type CrossingView, type FieldView, fieldView, type PathView, type RegionView } from './field.ts';
export { unheard } from './heads-up.ts';
export { proposalKey } from './index-of-state.ts';
export { checkInvariants } from './invariants.ts';
export type { LearnedChange } from './learning.ts';
export { endedLease } from './leases.ts';
export type * from './model.ts';
export { type CycleOrder, orderProposals } from './order.ts';
export { compareAge, isSameEntry } from './order-age.ts';
export {
  checkEntry,
  checkPath,
  type PathProblem,
  type PathRefusal,
  pathBytesMax,
  segmentBytesMax,
} from './path-rules.ts';
export { deferReasons, plan } from './plan.ts';
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
export {
  defaultPolicy,
  type Limits,
  type MergeRuleName,
  type Policy,
  type ReadGrain,
  type RegenerateRule,
} from './policy.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { regionOf, regionOfPaths, rootRegion } from './regions.ts';
export { thingRead } from './repair.ts';
export { replay } from './replay.ts';
export { reservedUntil } from './reservations.ts';
export { restoreState, serialiseState, snapshotForm, snapshotText } from './serialise.ts';
export { disturbedRegions, inhibitionOf, laneDelayOf, sigmaOf } from './sigma.ts';
export { type ColonyState, emptyState, type SentPart } from './state.ts';
export {
  agentByTokenHash,
  type ColonyCounters,
  colonyCounters,
  cycleProposals,
  intentByKey,
  joinTokenByHash,
  type LaneView,
  lanesView,
  missingPredecessors,
  nextDeadline,
  proposalByKey,
  proposalStatus,
  waitsForTime,
} from './views.ts';
