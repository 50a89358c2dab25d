// The nouns of a colony: plain data, changed only by events.
//
// Never here: bytes of files, tokens in clear, clocks, promises. Times are milliseconds of the engine's clock.

import type {
  AgentId,
  AttentionId,
  BatchId,
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

/** What a path of a tree holds: a file, symbolic link or submodule. Folders are implied by paths. */
export interface Entry {
  readonly mode: FileMode;
  readonly oid: Oid;
}

/** Modes of git that a path may have: file, executable, symbolic link, submodule. */
export type FileMode = '100644' | '100755' | '120000' | '160000';

/** Folder subtree that is the unit of lanes; "." is the root. */
export type Region = string;

/** Where an intent stands. */
export type IntentState = 'open' | 'taken' | 'proposed' | 'landed' | 'closed' | 'blocked' | 'abandoned';

/** One piece of work. `waitingOn` are the dependencies that are neither landed nor closed yet. */
export interface Intent {
  readonly id: IntentId;
  readonly key: string | null;
  readonly title: string;
  readonly body: string;
  readonly paths: readonly string[];
  /** Paths that it will probably touch by what landed before; they count while `paths` is empty (T5). */
  readonly learnedPaths: readonly TreePath[];
  readonly priority: number;
  readonly after: readonly IntentId[];
  readonly waitingOn: readonly IntentId[];
  readonly parent: IntentId | null;
  readonly labels: readonly string[];
  readonly state: IntentState;
  readonly createdAt: number;
  /** Proposals of this intent that came back. */
  readonly returns: number;
  /** Leases that ended without a landing, close or plain release. */
  readonly attempts: number;
  readonly lease: LeaseId | null;
  /** The epoch of the latest lease; an older one is stale. */
  readonly epoch: number;
  readonly duplicateOf: readonly IntentId[];
  /** Why it is blocked, closed or abandoned. */
  readonly reason: string | null;
  readonly landings: readonly LandingId[];
}

/** What an agent is doing. */
export type AgentState = 'idle' | 'working' | 'stopped';
/** Where an agent works. */
export type WorkspaceKind = 'ref' | 'fork' | 'checkout';

/** How much an agent resists work in a region (T3). */
export interface Threshold {
  readonly region: Region;
  readonly value: number;
}

/** A registered worker. The token itself is never kept, only its SHA-256. */
export interface Agent {
  readonly id: AgentId;
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly workspace: WorkspaceKind;
  readonly tokenHash: string;
  readonly state: AgentState;
  readonly registeredAt: number;
  readonly leases: readonly LeaseId[];
  readonly joinToken: JoinTokenId | null;
  /** For the regions that it worked in last, the latest first. */
  readonly thresholds: readonly Threshold[];
  /** Since when it holds no lease; null while it holds one. */
  readonly idleSince: number | null;
}

/** Lets a bounded number of agents register themselves until it expires. */
export interface JoinToken {
  readonly id: JoinTokenId;
  readonly tokenHash: string;
  readonly remaining: number;
  readonly expiresAt: number | null;
}

/** `working`: the agent has the move. `proposed`: something is queued, the clock stands still. `returned`: repair is due. */
export type LeaseState = 'working' | 'proposed' | 'returned';

/** The right to propose for one intent, fenced by its epoch. */
export interface Lease {
  readonly id: LeaseId;
  readonly intent: IntentId;
  readonly agent: AgentId;
  readonly epoch: number;
  readonly base: Oid;
  readonly state: LeaseState;
  readonly takenAt: number;
  /** Since when the agent works on what it proposes next: its take, its last part, or the last return. */
  readonly workingSince: number;
  /** When it runs out; null while its clock stands still. */
  readonly expiresAt: number | null;
  /** End of the window that a return or a rejection opened; heartbeats do not lengthen it. Null outside a window. */
  readonly windowEndsAt: number | null;
  /** Region of the intent's predicted paths when it was taken. */
  readonly region: Region;
  /** The intent predicted a place, so the lease counts against the bound of its region (T4). */
  readonly placed: boolean;
  /** When its claims were last at full strength. */
  readonly refreshedAt: number;
  /** Live proposals of this lease, oldest first: queued, in a cycle, or returned and not yet repaired. */
  readonly proposals: readonly ProposalId[];
  /** Files served to the agent under this lease: what it read, by path. */
  readonly recorded: ReadonlyMap<TreePath, RecordedRead>;
  /** Paths or globs that this lease marks. */
  readonly claims: readonly string[];
  /** Those of them that were only learned: they repel at half their strength (T5). */
  readonly learnedClaims: readonly string[];
  /** What changed under the agent and was in none of its answers yet: the newest landings, and how many more there were. */
  readonly headsUps: readonly HeadsUp[];
  readonly unlisted: number;
  /** A part of a chain was sent with `final: false` last: the lease stays after its landing. */
  readonly open: boolean;
}

/** A path that a landing changed, and why that concerns a lease. */
export interface TouchedPath {
  readonly path: TreePath;
  readonly why: 'read' | 'claimed';
}

/** What a landing changed of what an agent works on. */
export interface HeadsUp {
  readonly landing: LandingId;
  readonly intent: { readonly id: IntentId | null; readonly title: string };
  readonly paths: readonly TouchedPath[];
  /** Paths that are not listed. */
  readonly more: number;
}

/**
 * How a read became known without being named in the proposal. `served` and `mcp`: the colony served the file, over HTTP or
 * by the tool; `told`: a program said so while it worked; `acp` and `jsonl`: a driver saw it in the agent's messages; `hook`: a
 * hook of the agent's harness saw it.
 */
export type SeenSource = 'served' | 'mcp' | 'told' | 'acp' | 'jsonl' | 'hook';

/** How a read became known: also `declared` in the proposal itself, or found among the `imports` of what it writes. */
export type ReadSource = SeenSource | 'declared' | 'imports';

/** What was served or seen at a path, and at which commit. */
export interface RecordedRead {
  readonly blob: Oid | null;
  readonly at: Oid;
  /** Absent for `served`. */
  readonly source?: SeenSource;
}

/** A mark on a path or glob: strength 1 at `refreshedAt`, halved every `claimHalfLifeMs`. */
export interface Claim {
  readonly path: string;
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly refreshedAt: number;
}

/** One written path with what stood there at its base. `after` null deletes. */
export interface ResolvedWrite {
  readonly path: TreePath;
  readonly base: Entry | null;
  readonly after: Entry | null;
}

/** One thing the work depended on, with the hash of what was seen at commit `at`. An absent source is `declared`. */
export type ResolvedRead = SeenThing & { readonly source?: ReadSource };

/** What a read is of. */
type SeenThing =
  | { readonly kind: 'file'; readonly path: TreePath; readonly at: Oid; readonly basis: Oid | null }
  | { readonly kind: 'dir'; readonly path: TreePath; readonly at: Oid; readonly basis: string }
  | { readonly kind: 'glob'; readonly glob: string; readonly at: Oid; readonly basis: string }
  | {
      readonly kind: 'symbol';
      readonly path: TreePath;
      readonly symbol: string;
      readonly signature: boolean;
      readonly at: Oid;
      readonly basis: string;
    }
  | {
      readonly kind: 'lines';
      readonly path: TreePath;
      readonly from: number;
      readonly to: number;
      readonly at: Oid;
      /** The blob whose lines were read; null when the file was absent. */
      readonly basis: Oid | null;
    };

/** Where a proposal stands; all but the first are final. */
export type ProposalState = 'queued' | 'landed' | 'unchanged' | 'returned' | 'rejected' | 'superseded';

/** A proposed change. Terminal proposals leave the state for the archive, except returned ones of a live lease. */
export interface Proposal {
  readonly id: ProposalId;
  readonly key: string | null;
  readonly intent: IntentId;
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: Oid;
  /** The earlier part of the chain that this one builds on. */
  readonly predecessor: ProposalId | null;
  readonly final: boolean;
  readonly title: string | null;
  readonly message: string | null;
  readonly writes: readonly ResolvedWrite[];
  readonly reads: readonly ResolvedRead[];
  readonly region: Region;
  readonly proposedAt: number;
  readonly takenAt: number;
  /** How long the agent worked on this proposal alone, and the tokens that it declared to have used for it. */
  readonly workMs: number;
  readonly tokens: number;
  readonly state: 'queued' | 'returned';
  readonly repairOf: ProposalId | null;
  /** The returns behind this proposal, oldest first. */
  readonly returns: readonly PastReturn[];
  readonly brief: Brief | null;
}

/** A return behind a proposal, and the landings that caused it. */
export interface PastReturn {
  readonly proposal: ProposalId;
  readonly causes: readonly LandingId[];
}

/**
 * Paths that others leave alone for a while, so that a proposal that came back again and again lands (R4). It covers
 * what its proposal writes and reads; at most one per lane, and one per lease.
 */
export interface Reservation {
  readonly lease: LeaseId;
  /** The return, or the queued repair of it. */
  readonly proposal: ProposalId;
  /** The lane that holds no other reservation meanwhile. */
  readonly region: Region;
  readonly since: number;
  readonly until: number;
  /** Queued proposals of other leases that wait for its end, in order of arrival. */
  readonly held: readonly ProposalId[];
}

/** Why a reservation is over. */
export type ReservationEnd = 'settled' | 'returned' | 'expired' | 'lease-ended';

/** Why a write cannot land. */
export type ConflictKind =
  | 'content'
  | 'delete/edit'
  | 'add/add'
  | 'file/directory'
  | 'mode'
  | 'binary'
  | 'parse'
  | 'strict'
  | 'case'
  | 'chain';

/** The landing that moved something, and the intent behind it; nulls when it is older than what is known. */
export interface Cause {
  readonly landing: LandingId | null;
  readonly intent: { readonly id: IntentId | null; readonly title: string };
}

/** A read that moved: the resolved read as it was, its basis now, by which landing, and a bounded diff of that part. */
export interface StaleRead {
  readonly read: ResolvedRead;
  readonly now: string | null;
  readonly cause: Cause;
  readonly diff: string;
}

/** A write that cannot land: the entries at base and tip, by which landing, and a bounded diff base to tip. */
export interface ConflictingWrite {
  readonly path: TreePath;
  readonly kind: ConflictKind;
  readonly base: Entry | null;
  readonly tip: Entry | null;
  readonly cause: Cause;
  readonly diff: string;
  /** The shell command that makes the path anew from trunk's other files, where the policy names one (V4d). */
  readonly regenerate?: string;
}

/** Why a proposal came back. `trunk` is the commit that it shows. */
export interface Brief {
  readonly trunk: Oid;
  readonly reads: readonly StaleRead[];
  readonly writes: readonly ConflictingWrite[];
}

/** Why a proposal was refused for good. */
export interface RejectionReason {
  readonly code: string;
  readonly message: string;
  readonly path: TreePath | null;
}

/** What a landing changed at one path. */
export interface LandedWrite {
  readonly path: TreePath;
  /** What the parent commit held there, and what the landing put there. */
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** What one cycle decided about one proposal. */
export type Outcome =
  | {
      readonly kind: 'landed';
      readonly proposal: ProposalId;
      readonly landing: LandingId;
      readonly batch: BatchId;
      readonly commit: Oid;
      readonly writes: readonly LandedWrite[];
      readonly merged: readonly TreePath[];
      readonly unchanged: readonly TreePath[];
    }
  | { readonly kind: 'unchanged'; readonly proposal: ProposalId; readonly unchanged: readonly TreePath[] }
  | { readonly kind: 'returned'; readonly proposal: ProposalId; readonly brief: Brief }
  | { readonly kind: 'rejected'; readonly proposal: ProposalId; readonly reasons: readonly RejectionReason[] }
  | { readonly kind: 'deferred'; readonly proposal: ProposalId; readonly reason: string };

/** The values of the two refs around a cycle. `notes` may be null before the first landing. */
export interface RefMove {
  readonly oldTip: Oid;
  readonly newTip: Oid;
  readonly oldNotes: Oid | null;
  readonly newNotes: Oid | null;
}

/** What one lane gives to one cycle. */
export interface Batch {
  readonly id: BatchId;
  readonly region: Region;
  readonly proposals: readonly ProposalId[];
}

/** A run of the trunk writer: `planning` until its intention is journalled, then `moving` until the refs stand. */
export interface Cycle {
  readonly id: CycleId;
  readonly batches: readonly Batch[];
  readonly startedAt: number;
  readonly intention: CycleIntention | null;
}

/** What a cycle is about to make true. `refs` is null when nothing lands. */
export interface CycleIntention {
  readonly refs: RefMove | null;
  readonly outcomes: readonly Outcome[];
}

/** Why a person is needed. */
export type AttentionKind =
  | 'quarantined'
  | 'intent-blocked'
  | 'trunk-rewound'
  | 'landing-frozen'
  | 'storage'
  | 'upstream';

/** Something that waits for a person. */
export interface AttentionItem {
  readonly id: AttentionId;
  readonly kind: AttentionKind;
  readonly message: string;
  readonly at: number;
  readonly proposal: ProposalId | null;
  readonly intent: IntentId | null;
}

/** Why work was kept without landing. */
export type PreserveReason = 'superseded' | 'lease-expired' | 'agent-stopped' | 'released' | 'rejected' | 'quarantined';

/** Work that did not land and must not be lost. `commit` is null until the ref stands. */
export interface Preserved {
  readonly id: PreservedId;
  readonly agent: AgentId;
  readonly intent: IntentId;
  readonly proposal: ProposalId;
  readonly base: Oid;
  readonly writes: readonly ResolvedWrite[];
  readonly why: PreserveReason;
  readonly at: number;
  readonly commit: Oid | null;
}

/** The figures of one region as they are published (S5). */
export interface RegionSigma {
  readonly region: Region;
  /** Stale returns per landing. */
  readonly sigma: number;
  /** The factor, 1 to 8, by which the region's lane is slowed. */
  readonly inhibition: number;
}

/** Why landing stands still: a person paused it, or trunk's history was rewritten by someone else. */
export type Freeze = { readonly kind: 'paused' } | { readonly kind: 'rewound'; readonly found: Oid };
