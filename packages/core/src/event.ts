// Everything that can have happened in a colony: one closed union. The journal keeps these, and only these change
// the state. Each carries `at`, milliseconds of the engine's clock.

import type {
  AgentId,
  AttentionId,
  CycleId,
  IntentId,
  JoinTokenId,
  LandingId,
  LeaseId,
  Oid,
  PreservedId,
  ProposalId,
  TreePath,
} from '@firetrident/base';
import type { IntentChange, IntentDraft, Quarantine } from './command.ts';
import type { LearnedChange } from './learning.ts';
import type {
  AttentionKind,
  Batch,
  CycleIntention,
  HeadsUp,
  LandedWrite,
  PastReturn,
  PreserveReason,
  Region,
  RegionSigma,
  RejectionReason,
  ReservationEnd,
  ResolvedRead,
  ResolvedWrite,
  SeenSource,
  WorkspaceKind,
} from './model.ts';
import type { Policy } from './policy.ts';

interface Stamped {
  readonly at: number;
}

/** Everything that can have happened. */
export type Event = Stamped &
  (
    | {
        readonly kind: 'colony-created';
        readonly id: string;
        readonly branch: string;
        readonly tip: Oid;
        readonly notes: Oid | null;
        readonly packages: readonly TreePath[];
        readonly policy: Policy;
        readonly seed: number;
      }
    | { readonly kind: 'booted'; readonly generation: number }
    | { readonly kind: 'policy-set'; readonly policy: Policy }
    | { readonly kind: 'paused' }
    | { readonly kind: 'resumed'; readonly tip: Oid }
    | {
        readonly kind: 'intent-created';
        readonly intent: IntentId;
        readonly draft: IntentDraft;
        /** What was learned of its paths; absent in journals from before there was anything to learn. */
        readonly learnedPaths?: readonly TreePath[];
        readonly waitingOn: readonly IntentId[];
        readonly duplicateOf: readonly IntentId[];
      }
    | {
        readonly kind: 'intent-edited';
        readonly intent: IntentId;
        readonly change: IntentChange;
        /** What is learned of its paths now, when its title changed. */
        readonly learnedPaths?: readonly TreePath[];
      }
    /** What changed together in the repository's history before the colony began, oldest first (T5b). */
    | { readonly kind: 'history-learned'; readonly changes: readonly LearnedChange[] }
    /** The intent reached a state by a rule: open again, landed, closed, blocked or abandoned. */
    | {
        readonly kind: 'intent-opened';
        readonly intent: IntentId;
        readonly attempts: number;
        readonly reason: string | null;
      }
    | { readonly kind: 'intent-landed'; readonly intent: IntentId }
    | { readonly kind: 'intent-closed'; readonly intent: IntentId; readonly reason: string }
    | { readonly kind: 'intent-blocked'; readonly intent: IntentId; readonly attempts: number; readonly reason: string }
    | { readonly kind: 'intent-abandoned'; readonly intent: IntentId; readonly reason: string | null }
    | {
        readonly kind: 'agent-registered';
        readonly agent: AgentId;
        readonly name: string;
        readonly agentKind: string;
        readonly labels: readonly string[];
        readonly workspace: WorkspaceKind;
        readonly tokenHash: string;
        readonly joinToken: JoinTokenId | null;
      }
    | { readonly kind: 'agent-stopped'; readonly agent: AgentId }
    | {
        readonly kind: 'join-token-created';
        readonly joinToken: JoinTokenId;
        readonly tokenHash: string;
        readonly agents: number;
        readonly expiresAt: number | null;
      }
    | { readonly kind: 'join-token-ended'; readonly joinToken: JoinTokenId }
    | {
        readonly kind: 'taken';
        readonly lease: LeaseId;
        readonly intent: IntentId;
        readonly agent: AgentId;
        readonly epoch: number;
        readonly base: Oid;
        readonly expiresAt: number;
        /** What is learned of its paths now, for an intent that predicts none. */
        readonly learnedPaths?: readonly TreePath[];
      }
    | {
        readonly kind: 'heartbeat';
        readonly lease: LeaseId;
        readonly expiresAt: number | null;
        /** Paths or globs newly claimed. */
        readonly claims: readonly string[];
      }
    /** The claims of a live lease are gone: evaporated, or released because its agent was stopped. */
    | { readonly kind: 'claims-ended'; readonly lease: LeaseId; readonly why: 'evaporated' | 'agent-stopped' }
    | {
        readonly kind: 'read-recorded';
        readonly lease: LeaseId;
        readonly path: TreePath;
        readonly blob: Oid | null;
        readonly seen: Oid;
        /** Absent for `served`. */
        readonly source?: SeenSource;
      }
    /** Landings changed what the agent read or claimed; `more` of them are not listed. One per lease and cycle. */
    | {
        readonly kind: 'heads-up';
        readonly lease: LeaseId;
        readonly agent: AgentId;
        readonly intent: IntentId;
        /** The tip of trunk, which shows all of it. */
        readonly trunk: Oid;
        readonly landings: readonly HeadsUp[];
        readonly more: number;
      }
    /** The agent was given all heads-ups so far in an answer. */
    | { readonly kind: 'heard'; readonly agent: AgentId }
    /** The lease is over and its claims are gone. */
    | { readonly kind: 'lease-ended'; readonly lease: LeaseId; readonly why: LeaseEnd }
    | {
        readonly kind: 'proposed';
        readonly proposal: ProposalId;
        readonly lease: LeaseId;
        readonly base: Oid;
        readonly predecessor: ProposalId | null;
        readonly final: boolean;
        readonly title: string | null;
        readonly message: string | null;
        readonly key: string | null;
        readonly writes: readonly ResolvedWrite[];
        readonly reads: readonly ResolvedRead[];
        readonly region: Region;
        readonly repairOf: ProposalId | null;
        readonly answer: 'confirm' | 'amend' | 'redo' | null;
        /** Tokens that the agent declared to have used; 0 when it said nothing. */
        readonly tokens: number;
        readonly returns: readonly PastReturn[];
      }
    /** A propose under an epoch that was over: nothing lands, the content is preserved. */
    | {
        readonly kind: 'superseded';
        readonly proposal: ProposalId;
        readonly lease: LeaseId;
        readonly agent: AgentId;
        readonly intent: IntentId;
        readonly base: Oid;
        readonly key: string | null;
        readonly writes: readonly ResolvedWrite[];
        readonly preserved: PreservedId | null;
      }
    | { readonly kind: 'cycle-started'; readonly cycle: CycleId; readonly batches: readonly Batch[] }
    | {
        readonly kind: 'cycle-intended';
        readonly cycle: CycleId;
        readonly intention: CycleIntention;
        readonly quarantined: readonly Quarantine[];
      }
    | { readonly kind: 'cycle-committed'; readonly cycle: CycleId }
    | { readonly kind: 'cycle-abandoned'; readonly cycle: CycleId; readonly reason: string }
    /** The outcomes of a committed cycle, one event each; details are in the cycle's intention. */
    | {
        readonly kind: 'landed';
        readonly cycle: CycleId;
        readonly proposal: ProposalId;
        readonly landing: LandingId;
        readonly commit: Oid;
        readonly intent: IntentId;
        readonly agent: AgentId;
        readonly region: Region;
      }
    | { readonly kind: 'unchanged'; readonly proposal: ProposalId; readonly intent: IntentId; readonly agent: AgentId }
    | {
        readonly kind: 'returned';
        readonly proposal: ProposalId;
        readonly intent: IntentId;
        readonly agent: AgentId;
        readonly expiresAt: number;
      }
    | {
        readonly kind: 'rejected';
        readonly proposal: ProposalId;
        readonly intent: IntentId;
        readonly agent: AgentId;
        readonly expiresAt: number;
        readonly reasons: readonly RejectionReason[];
      }
    | { readonly kind: 'deferred'; readonly proposal: ProposalId }
    /** What a return writes and reads is kept still until its repair lands, or for a bounded time (R4). */
    | {
        readonly kind: 'reserved';
        readonly proposal: ProposalId;
        readonly lease: LeaseId;
        readonly region: Region;
        readonly until: number;
      }
    /** Queued proposals would move what is reserved: they wait for the reservation to end. */
    | { readonly kind: 'held-back'; readonly lease: LeaseId; readonly proposals: readonly ProposalId[] }
    /** What it held back is first in line again. */
    | { readonly kind: 'reservation-ended'; readonly lease: LeaseId; readonly why: ReservationEnd }
    | {
        readonly kind: 'external-landed';
        readonly landing: LandingId;
        readonly from: Oid;
        readonly to: Oid;
        readonly commits: number;
        readonly title: string;
        readonly writes: readonly LandedWrite[];
      }
    /** σ was looked at: that of the colony, and the regions where it changed (S4, S5). */
    | { readonly kind: 'sigma-evaluated'; readonly sigma: number; readonly regions: readonly RegionSigma[] }
    | { readonly kind: 'trunk-rewound'; readonly found: Oid }
    | {
        readonly kind: 'preserve-asked';
        readonly preserved: PreservedId;
        readonly agent: AgentId;
        readonly intent: IntentId;
        readonly proposal: ProposalId;
        readonly base: Oid;
        readonly writes: readonly ResolvedWrite[];
        readonly why: PreserveReason;
      }
    | { readonly kind: 'preserved'; readonly preserved: PreservedId; readonly commit: Oid }
    | {
        readonly kind: 'attention-raised';
        readonly attention: AttentionId;
        readonly attentionKind: AttentionKind;
        readonly message: string;
        readonly proposal: ProposalId | null;
        readonly intent: IntentId | null;
      }
    | { readonly kind: 'attention-resolved'; readonly attention: AttentionId }
  );

/** Why a lease ended. */
export type LeaseEnd =
  | 'landed'
  | 'unchanged'
  | 'completed'
  | 'failed'
  | 'released'
  | 'expired'
  | 'agent-stopped'
  | 'intent-abandoned';

/** The names of all events. */
export type EventKind = Event['kind'];
/** The event with a name. */
export type EventOf<K extends EventKind> = Extract<Event, { kind: K }>;
