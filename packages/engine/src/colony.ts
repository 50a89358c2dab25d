// What a colony offers to the surfaces around it (HTTP, sockets, tests): requests with bytes in, values out.
//
// A surface never sees ports, workers or the journal. Every promise that answers "yes" resolves after the events and
// bytes behind it are durable.

import type {
  AgentId,
  IntentId,
  LandingId,
  LeaseId,
  Oid,
  PreservedId,
  ProposalId,
  Result,
  TreePath,
} from '@firetrident/base';
import type {
  ArchivedIntent,
  ArchivedLanding,
  ColonyState,
  Command,
  CommandKind,
  CommandOf,
  Entry,
  Event,
  FileMode,
  HeadsUpsOfLease,
  Intent,
  IntentDraft,
  LeaseGrant,
  ProposalStatus,
  Refusal,
  Replies,
  WaitReason,
} from '@firetrident/core';
import type { LandingStageSums } from './landing-stages.ts';
import type { OwnWork } from './own-work.ts';

/** Expected refusals that need bytes, history or storage to know. */
export type EngineRefusal =
  | { readonly code: 'unknown_base'; readonly base: string }
  | { readonly code: 'unknown_commit'; readonly commit: string }
  | { readonly code: 'unknown_path'; readonly path: TreePath; readonly commit: Oid }
  | { readonly code: 'unknown_blob'; readonly blob: Oid }
  | { readonly code: 'write_basis'; readonly path: TreePath; readonly was: Oid | null; readonly base: Oid | null }
  | { readonly code: 'path_outside' | 'path_reserved' | 'path_invalid'; readonly path: string }
  | { readonly code: 'path_case_clash'; readonly path: TreePath; readonly existing: TreePath }
  /** Two writes of one proposal name the same path, or a file and something below it. */
  | { readonly code: 'writes_clash'; readonly path: TreePath; readonly other: TreePath }
  | { readonly code: 'read_invalid'; readonly path: TreePath; readonly problem: string }
  | { readonly code: 'glob_invalid'; readonly glob: string; readonly problem: string }
  | { readonly code: 'blob_too_large'; readonly bytes: number; readonly bound: number }
  | { readonly code: 'staging_full'; readonly bound: number }
  | { readonly code: 'unknown_landing'; readonly landing: string }
  | { readonly code: 'not_revertable'; readonly landing: LandingId; readonly problem: string }
  | { readonly code: 'line_out_of_range'; readonly line: number; readonly lines: number }
  | { readonly code: 'storage_unavailable'; readonly problem: string; readonly hint: string }
  | { readonly code: 'colony_closing' };

/** Every expected refusal of a colony: of its rules, and of what needs bytes, history or storage to know. */
export type ColonyRefusal = Refusal | EngineRefusal;

export interface RequestedWrite {
  readonly path: TreePath;
  /** New bytes, a blob sent before, or null to delete. */
  readonly content: { readonly bytes: Uint8Array } | { readonly blob: Oid } | null;
  /** Omitted: keeps the mode at base, or 100644 for a path that is not there. */
  readonly mode?: Exclude<FileMode, '160000'>;
  /** What the agent saw there: must equal base. */
  readonly was?: Oid | null;
}

/** A declared read. `at` names another trunk commit where it was read; the default is the proposal's base. */
export type RequestedRead = { readonly at?: Oid } & (
  | { readonly kind: 'file'; readonly path: TreePath; readonly blob?: Oid | null }
  | { readonly kind: 'dir'; readonly path: TreePath }
  | { readonly kind: 'glob'; readonly glob: string }
  | { readonly kind: 'symbol'; readonly path: TreePath; readonly symbol: string; readonly signature: boolean }
  | { readonly kind: 'lines'; readonly path: TreePath; readonly from: number; readonly to: number }
);

export interface ProposeRequest {
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: { readonly commit: Oid } | { readonly proposal: ProposalId };
  readonly final: boolean;
  /** Whether the imports of the written files become reads, shaped by policy. */
  readonly deriveReads: boolean;
  readonly title: string | null;
  readonly message: string | null;
  readonly key: string | null;
  /** Tokens that the agent says it used for this; absent when it says nothing. */
  readonly tokens?: number;
  readonly writes: readonly RequestedWrite[];
  readonly reads: readonly RequestedRead[];
}

export interface RepairRequest {
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly proposal: ProposalId;
  readonly answer: 'confirm' | 'amend' | 'redo';
  readonly deriveReads: boolean;
  /** Commit that writes and reads sent again were made against; null: the brief's trunk. */
  readonly base: Oid | null;
  readonly key: string | null;
  /** Tokens that the agent says it used for this; absent when it says nothing. */
  readonly tokens?: number;
  readonly writes: readonly RequestedWrite[];
  readonly reads: readonly RequestedRead[];
}

export interface TakeRequest {
  readonly agent: AgentId;
  readonly intent: IntentId | null;
  readonly paths: readonly string[];
  readonly labels: readonly string[];
  /** How long to wait for work before answering with the reason to wait. */
  readonly waitMs: number;
  /** Aborted when nobody is there to hear the answer: then nothing is given, and what was given is given back. */
  readonly gone?: AbortSignal;
}

/**
 * Work with its lease and how long the take waited until there was work, or the named reason to wait and when to ask
 * again (milliseconds).
 */
export type TakeAnswer =
  | { readonly kind: 'grant'; readonly grant: LeaseGrant; readonly intent: Intent; readonly waitedMs: number }
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly retryAfterMs: number };

/** A file at a commit. A submodule has no bytes. */
export interface FileAnswer {
  readonly path: TreePath;
  readonly commit: Oid;
  readonly entry: Entry;
  readonly bytes: Uint8Array;
}

/** One level of a folder at a commit; `entry` is null for folders. */
export interface TreeAnswer {
  readonly path: TreePath;
  readonly commit: Oid;
  readonly entries: readonly {
    readonly name: string;
    readonly kind: 'file' | 'directory';
    readonly entry: Entry | null;
  }[];
}

/** What a landing made others lose: its part of every return that it caused (R5). */
export interface LandingWaste {
  readonly returns: number;
  readonly wastedMs: number;
  readonly wastedTokens: number;
}

/** A landing with what it cost others. */
export interface LandingAnswer {
  readonly landing: ArchivedLanding;
  readonly waste: LandingWaste;
}

/** Answer to "why is this line so": the commit that made it, and its landing when it is one. */
export interface WhyAnswer {
  readonly path: TreePath;
  readonly line: number;
  readonly text: string;
  readonly commit: Oid;
  readonly summary: string;
  readonly author: string;
  readonly at: number;
  readonly landing: LandingAnswer | null;
}

/** Work that did not land and stands under a ref of its own. `at` is in milliseconds since the Unix epoch. */
export interface PreservedAnswer {
  readonly id: PreservedId;
  readonly ref: string;
  readonly commit: Oid;
  readonly agent: AgentId;
  readonly intent: IntentId;
  readonly proposal: ProposalId;
  readonly why: string;
  readonly at: number;
}

/** One journalled event with its sequence. */
export interface SequencedEvent {
  readonly sequence: number;
  readonly event: Event;
}

/** Commands that need no bytes and no archive: they go to the core as they are. */
export type PlainCommandKind = Exclude<
  CommandKind,
  | 'create-colony'
  | 'boot'
  | 'create-intents'
  | 'take'
  | 'propose'
  | 'repair'
  | 'record-read'
  | 'hear'
  | 'set-paused'
  | 'tick'
  | `${string}-cycle`
  | `record-${string}`
>;
export type PlainCommand = CommandOf<PlainCommandKind>;

export type Answer<T> = Promise<Result<T, ColonyRefusal>>;

/** Figures of the last cycles, for the colony page and the metrics. Milliseconds and counts, over a bounded window. */
export interface CycleFigures {
  readonly cycles: number;
  /** From the proposal to the start of the cycle that took it, over all proposals of the window. */
  readonly queueWaitMs: number;
  /** Planning, building and verifying; the two latter are told on their own as well. */
  readonly planMs: number;
  readonly buildMs: number;
  readonly verifyMs: number;
  readonly writeMs: number;
  readonly refsMs: number;
  readonly journalMs: number;
  readonly cycleMs: number;
  /** Median of the whole cycles. */
  readonly cycleMsP50: number;
  readonly proposalsPerCycle: number;
  /** Median of what one lane handed to one cycle. */
  readonly batchSizeP50: number;
  /** Since the start: observations and merges that were recalled because nothing moved, and those that were found. */
  readonly verdictsRecalled: number;
  readonly verdictsFound: number;
}

export interface Colony {
  readonly id: string;
  /** Directory of the bare repository, for stock git on this machine. */
  readonly repository: string;
  /** The live state: to be read, never changed. */
  readonly state: ColonyState;
  readonly figures: CycleFigures;
  /** Where the time of proposals went since the start. */
  readonly stages: LandingStageSums;
  /** How many events the journal holds, and the last one that a snapshot covers: a restart replays the rest. */
  readonly journal: { readonly sequence: number; readonly snapshotSequence: number };
  /** Milliseconds of the colony's clock, for views that depend on it. */
  now(): number;

  submit<C extends PlainCommand>(command: C): Answer<Replies[C['kind']]>;
  setPaused(paused: boolean): Answer<null>;
  createIntents(drafts: readonly IntentDraft[]): Answer<Replies['create-intents']>;
  intent(id: IntentId): Answer<Intent | ArchivedIntent>;
  /** Newest first; `after` is the last id of the page before. */
  intents(options: {
    state: Intent['state'] | null;
    limit: number;
    after: IntentId | null;
  }): Answer<(Intent | ArchivedIntent)[]>;

  take(request: TakeRequest): Answer<TakeAnswer>;
  /** An intent that the agent brings along, found by its key or made, and taken by it in the same step. */
  startWork(agent: AgentId, draft: IntentDraft): Answer<OwnWork>;
  /** Takes such work back while nothing of it was proposed: the intent is abandoned, and opened when it is brought again. */
  withdrawWork(agent: AgentId, held: Pick<LeaseGrant, 'lease' | 'epoch'>): Answer<null>;
  /** What an agent at work was not told yet: it goes along with the answer that it is about to get, once. */
  headsUps(agent: AgentId): readonly HeadsUpsOfLease[];
  propose(request: ProposeRequest): Answer<ProposalStatus>;
  repair(request: RepairRequest): Answer<ProposalStatus>;
  /** The proposal's status once it is settled, or as it is after `waitMs`. */
  outcome(proposal: ProposalId, waitMs: number): Answer<ProposalStatus>;
  putBlob(bytes: Uint8Array): Answer<Oid>;

  /** `lease` null reads without recording. `at` null: the lease's base, or the tip without a lease. */
  /** Under a lease it counts as read there, and `source` says how the file was served. */
  readFile(request: {
    path: TreePath;
    at: Oid | null;
    lease: LeaseId | null;
    source?: 'served' | 'mcp';
  }): Answer<FileAnswer>;
  readTree(request: { path: TreePath; at: Oid | null; lease: LeaseId | null }): Answer<TreeAnswer>;
  landings(options: { after: LandingId | null; limit: number }): Answer<ArchivedLanding[]>;
  landing(id: LandingId): Answer<LandingAnswer>;
  revert(landing: LandingId): Answer<{ readonly intent: IntentId; readonly proposal: ProposalId }>;
  why(path: TreePath, line: number): Answer<WhyAnswer>;
  preserved(): Answer<PreservedAnswer[]>;

  /** Journalled events after a sequence, oldest first. */
  events(after: number, limit: number): Answer<SequencedEvent[]>;
  /** Hears every event once it is durable, in order, also across a failure of storage; returns how to stop. */
  subscribe(listener: (events: readonly SequencedEvent[]) => void): () => void;
  /** Finishes the cycle under way, writes a snapshot and closes every port. */
  close(): Promise<void>;
}

export type { Command };
