// Everything that can be asked of a colony: one closed union, with the reply of each.
//
// Facts that need bytes, the archive or randomness from outside are in the command when it arrives: hashes,
// resolved reads and writes, token hashes, states of archived intents.

import type {
  AgentId,
  AttentionId,
  CycleId,
  IntentId,
  LandingId,
  LeaseId,
  Oid,
  PreservedId,
  ProposalId,
  TreePath,
} from '@firetrident/base';
import type { LearnedChange } from './learning.ts';
import type {
  AttentionKind,
  Brief,
  CycleIntention,
  HeadsUp,
  IntentState,
  LandedWrite,
  RejectionReason,
  ResolvedRead,
  ResolvedWrite,
  SeenSource,
  WorkspaceKind,
} from './model.ts';
import type { Policy } from './policy.ts';

/** An intent as it is asked for. */
export interface IntentDraft {
  readonly title: string;
  readonly body: string;
  readonly paths: readonly string[];
  readonly priority: number;
  readonly after: readonly IntentId[];
  readonly parent: IntentId | null;
  readonly labels: readonly string[];
  readonly key: string | null;
}

/** What an edit changes; what is absent stays. */
export interface IntentChange {
  readonly title?: string;
  readonly body?: string;
  readonly paths?: readonly string[];
  readonly priority?: number;
  readonly labels?: readonly string[];
  readonly state?: 'abandoned' | 'open';
}

/** The resolved content of a propose or repair. */
export interface ProposalContent {
  readonly writes: readonly ResolvedWrite[];
  readonly reads: readonly ResolvedRead[];
}

/** A file as an agent saw it: its blob, null when it was not there, and the commit; null for that of the lease. */
export interface SeenFile {
  readonly path: TreePath;
  readonly blob: Oid | null;
  readonly at: Oid | null;
  /** Absent for `told`. */
  readonly source?: SeenSource;
}

/** Everything that can be asked, with the facts that it needs. */
export type Command =
  | {
      readonly kind: 'create-colony';
      readonly id: string;
      readonly branch: string;
      readonly tip: Oid;
      readonly notes: Oid | null;
      readonly packages: readonly TreePath[];
      readonly policy: Policy;
      readonly seed: number;
    }
  /** The first command after every start: raises the generation and gives every lease a full term. */
  /** `after` is a generation that is known from elsewhere, when the log does not tell of it any more. */
  | { readonly kind: 'boot'; readonly after?: number }
  | { readonly kind: 'set-policy'; readonly policy: Policy }
  | { readonly kind: 'set-paused'; readonly paused: boolean; readonly tip: Oid }
  | {
      readonly kind: 'create-intents';
      readonly drafts: readonly IntentDraft[];
      /** States of intents named in `after` or `parent` that are no longer live; those not listed do not exist. */
      readonly archived: ReadonlyMap<IntentId, IntentState>;
      /** Archived intents found by the drafts' keys. */
      readonly archivedKeys: ReadonlyMap<string, IntentId>;
    }
  /** What changed in the repository's history before the colony began, oldest first; learned from once (T5b). */
  | { readonly kind: 'learn-history'; readonly changes: readonly LearnedChange[] }
  | { readonly kind: 'edit-intent'; readonly intent: IntentId; readonly change: IntentChange }
  | {
      readonly kind: 'register-agent';
      readonly name: string;
      readonly agentKind: string;
      readonly labels: readonly string[];
      readonly workspace: WorkspaceKind;
      readonly tokenHash: string;
      /** SHA-256 of the join token that vouches; null when an administrator asks. */
      readonly joinTokenHash: string | null;
    }
  | {
      readonly kind: 'create-join-token';
      readonly tokenHash: string;
      readonly agents: number;
      readonly expiresAt: number | null;
    }
  | { readonly kind: 'stop-agent'; readonly agent: AgentId }
  | {
      readonly kind: 'take';
      readonly agent: AgentId;
      readonly intent: IntentId | null;
      readonly paths: readonly string[];
      readonly labels: readonly string[];
      /** Agents that wait for work now, and takes under way: they pace the answer. */
      readonly waitingAgents: number;
      readonly takesInFlight: number;
    }
  | {
      readonly kind: 'heartbeat';
      readonly agent: AgentId;
      readonly lease: LeaseId;
      readonly epoch: number;
      readonly claims: readonly string[];
      /** What the agent has read meanwhile; absent for nothing. */
      readonly reads?: readonly SeenFile[];
    }
  | {
      readonly kind: 'record-read';
      readonly lease: LeaseId;
      readonly path: TreePath;
      readonly blob: Oid | null;
      readonly at: Oid;
      /** Absent for `served`. */
      readonly source?: SeenSource;
    }
  /** An answer to the agent is on its way: what it was not told yet goes along. */
  | { readonly kind: 'hear'; readonly agent: AgentId }
  | {
      readonly kind: 'release';
      readonly agent: AgentId;
      readonly lease: LeaseId;
      readonly epoch: number;
      readonly why: string | null;
    }
  | {
      readonly kind: 'propose';
      readonly agent: AgentId;
      readonly lease: LeaseId;
      readonly epoch: number;
      readonly base: Oid;
      readonly predecessor: ProposalId | null;
      readonly final: boolean;
      readonly title: string | null;
      readonly message: string | null;
      readonly key: string | null;
      /** Tokens used for it; absent when the agent says nothing. */
      readonly tokens?: number;
      readonly content: ProposalContent;
    }
  | {
      readonly kind: 'repair';
      readonly agent: AgentId;
      readonly lease: LeaseId;
      readonly epoch: number;
      readonly proposal: ProposalId;
      readonly answer: 'confirm' | 'amend' | 'redo';
      /** The commit that what was sent again was made on; null for the brief's trunk. */
      readonly base: Oid | null;
      readonly key: string | null;
      readonly tokens?: number;
      /** What was sent again, resolved against the brief's trunk or the base given; null for confirm. */
      readonly content: ProposalContent | null;
    }
  | {
      readonly kind: 'complete';
      readonly agent: AgentId;
      readonly lease: LeaseId;
      readonly epoch: number;
      readonly why: string;
    }
  | {
      readonly kind: 'fail';
      readonly agent: AgentId;
      readonly lease: LeaseId;
      readonly epoch: number;
      readonly why: string;
    }
  /** Time has passed: leases run out, claims evaporate, join tokens expire. */
  | { readonly kind: 'tick' }
  /** Forms one batch per lane with work and starts a cycle with them. */
  | { readonly kind: 'start-cycle' }
  | {
      readonly kind: 'intend-cycle';
      readonly cycle: CycleId;
      readonly intention: CycleIntention;
      readonly quarantined: readonly Quarantine[];
    }
  | { readonly kind: 'commit-cycle'; readonly cycle: CycleId }
  /** The cycle made nothing true: its proposals queue again, first in line. */
  | { readonly kind: 'abandon-cycle'; readonly cycle: CycleId; readonly reason: string }
  /** Someone else moved trunk forward. */
  | {
      readonly kind: 'record-external';
      readonly from: Oid;
      readonly to: Oid;
      readonly commits: number;
      readonly title: string;
      readonly writes: readonly LandedWrite[];
    }
  /** Someone else rewrote trunk: landing stops until an administrator accepts what is there. */
  | { readonly kind: 'record-rewound'; readonly found: Oid }
  | { readonly kind: 'record-preserved'; readonly preserved: PreservedId; readonly commit: Oid }
  | { readonly kind: 'raise-attention'; readonly attention: AttentionKind; readonly message: string }
  | { readonly kind: 'resolve-attention'; readonly attention: AttentionId };

/** A proposal that verification stopped. */
export interface Quarantine {
  readonly proposal: ProposalId;
  readonly problem: string;
}

/** A lease as an agent hears of it. */
export interface LeaseGrant {
  readonly lease: LeaseId;
  readonly intent: IntentId;
  readonly epoch: number;
  readonly expiresAt: number;
  readonly base: Oid;
}

/** What changed under a lease since its agent was told last. */
export interface HeadsUpsOfLease {
  readonly lease: LeaseId;
  readonly landings: readonly HeadsUp[];
  /** Landings that are not listed. */
  readonly more: number;
}

/** Why a take gives nothing now (rule T6a). */
export type WaitReason =
  | "every open intent's files are claimed by another agent"
  | "what is open is claimed by others, and the agent's thresholds refused it for now"
  | 'every region with open work is full'
  | 'colony busy: too many takes in flight'
  | 'colony busy: as many proposals wait as trunk can land in two seconds'
  | 'colony busy: as many agents are at work as trunk can land for'
  | 'take already in progress'
  | 'no open intent';

/** That a queued proposal waits for another one, whose reservation it would break (R4). */
export interface HeldBack {
  /** The return whose repair goes first, or that repair. */
  readonly reservedBy: ProposalId;
  /** When the reservation ends at the latest. */
  readonly until: number;
}

/** What a proposal id stands at: still out, or its one terminal outcome. */
export type ProposalStatus =
  | { readonly state: 'queued'; readonly proposal: ProposalId; readonly heldBack: HeldBack | null }
  | {
      readonly state: 'landed';
      readonly proposal: ProposalId;
      readonly landing: LandingId;
      readonly commit: Oid;
      readonly merged: readonly TreePath[];
      readonly unchanged: readonly TreePath[];
    }
  | { readonly state: 'unchanged'; readonly proposal: ProposalId; readonly unchanged: readonly TreePath[] }
  | { readonly state: 'returned'; readonly proposal: ProposalId; readonly brief: Brief }
  | { readonly state: 'rejected'; readonly proposal: ProposalId; readonly reasons: readonly RejectionReason[] }
  | { readonly state: 'superseded'; readonly proposal: ProposalId; readonly preserved: PreservedId | null };

/** The answer of each command that was not refused. */
export interface Replies {
  'create-colony': null;
  boot: { readonly generation: number };
  'set-policy': null;
  'set-paused': null;
  'create-intents': {
    readonly intents: readonly {
      readonly id: IntentId;
      readonly key: string | null;
      readonly state: IntentState;
      readonly duplicateOf: readonly IntentId[];
      /** Its key was known, so nothing was made. */
      readonly known: boolean;
    }[];
  };
  'learn-history': null;
  'edit-intent': null;
  'register-agent': { readonly agent: AgentId };
  'create-join-token': null;
  'stop-agent': null;
  take:
    | { readonly kind: 'grant'; readonly grant: LeaseGrant }
    | { readonly kind: 'wait'; readonly reason: WaitReason; readonly retryAfterMs: number };
  heartbeat: { readonly expiresAt: number | null };
  'record-read': null;
  hear: { readonly headsUps: readonly HeadsUpsOfLease[] };
  release: null;
  propose: ProposalStatus;
  repair: ProposalStatus;
  complete: null;
  fail: null;
  tick: null;
  /** Without a cycle, `readyAt` is when the first lane that rests with work in it may tick; null when none does. */
  'start-cycle': { readonly cycle: CycleId | null; readonly readyAt: number | null };
  'intend-cycle': null;
  'commit-cycle': null;
  'abandon-cycle': null;
  'record-external': { readonly landing: LandingId };
  'record-rewound': null;
  'record-preserved': null;
  'raise-attention': { readonly attention: AttentionId };
  'resolve-attention': null;
}

/** The names of all commands. */
export type CommandKind = Command['kind'];
/** The command with a name. */
export type CommandOf<K extends CommandKind> = Extract<Command, { kind: K }>;
