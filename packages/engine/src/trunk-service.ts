// The asynchronous face of the room where the bytes are: trees, blobs, merges, packs and refs.
//
// The engine asks; the room answers with hashes, verdicts and facts. Everything here survives a structured clone, so
// the room may be another thread.

import type {
  BatchId,
  CycleId,
  IntentId,
  LandingId,
  Oid,
  PreservedId,
  ProposalId,
  Result,
  TreePath,
} from '@firetrident/base';
import type {
  ArchivedLanding,
  LandedWrite,
  Outcome,
  Policy,
  Proposal,
  ProposalContent,
  Quarantine,
  RecordedRead,
  RefMove,
  ResolvedWrite,
} from '@firetrident/core';
import type { EngineRefusal, FileAnswer, RequestedRead, RequestedWrite, TreeAnswer } from './colony.ts';

/** A proposal of a cycle with what its commit and note say about it. */
export interface CycleEntry {
  readonly proposal: Proposal;
  readonly landing: LandingId;
  readonly batch: BatchId;
  readonly intent: { readonly id: IntentId; readonly title: string; readonly body: string };
  readonly agent: { readonly id: string; readonly name: string; readonly kind: string };
}

export interface CycleRequest {
  readonly cycle: CycleId;
  /** Trunk and notes as the engine knows them. */
  readonly tip: Oid;
  readonly notes: Oid | null;
  /** Milliseconds of the engine's clock: the time of the commits. */
  readonly now: number;
  readonly colony: string;
  readonly policy: Policy;
  readonly entries: readonly CycleEntry[];
  readonly returnedPredecessors: readonly ProposalId[];
}

/** Trunk as someone else left it. */
export type ForeignChange =
  | {
      readonly kind: 'advanced';
      readonly tip: Oid;
      readonly commits: number;
      readonly title: string;
      readonly writes: readonly LandedWrite[];
    }
  | { readonly kind: 'rewound'; readonly tip: Oid };

/** How long the parts of a cycle took in the room, milliseconds; and what its memories did since it began. */
export interface RoomFigures {
  readonly planMs: number;
  readonly buildMs: number;
  readonly verifyMs: number;
  /** Observations and merges that were recalled, and those that had to be found (V5). */
  readonly verdictsRecalled: number;
  readonly verdictsFound: number;
}

/** A cycle that is planned, built and verified, or the news that trunk moved without us. */
export type CycleAnswer =
  | {
      readonly kind: 'planned';
      readonly refs: RefMove | null;
      readonly outcomes: readonly Outcome[];
      readonly quarantined: readonly Quarantine[];
      readonly figures: RoomFigures;
    }
  | { readonly kind: 'foreign'; readonly change: ForeignChange };

export type MoveAnswer =
  | { readonly kind: 'moved' }
  /** Trunk or notes are no longer what the cycle was built on. `found` is empty when the ref is gone. */
  | { readonly kind: 'stale'; readonly ref: string; readonly found: Oid | '' }
  /** Another program holds the lock of a ref. */
  | { readonly kind: 'locked'; readonly ref: string }
  /** The cycle may stand elsewhere already; `recover` finds out. */
  | Doubt;

/** Nobody can tell yet whether a cycle landed, or it did and cannot be finished here yet. */
export interface Doubt {
  readonly kind: 'unknown';
  readonly problem: string;
  /** Whoever is in doubt brings it to a person's attention, so nobody else needs to. */
  readonly isTold: boolean;
}

/** What stands after a restart in the middle of a cycle (L3). */
export type RecoveryAnswer =
  /** Trunk holds the landings; someone else may have moved it on from there. */
  | { readonly kind: 'finished' }
  /** Trunk is where it was before the cycle. */
  | { readonly kind: 'rolled-back' }
  /** Someone else moved trunk to where the landings are not. */
  | { readonly kind: 'foreign'; readonly tip: Oid }
  | Doubt;

export interface ResolveRequest {
  readonly base: Oid;
  /** Writes of earlier parts of the chain, oldest first: they lie over the base. */
  readonly overlay: readonly ResolvedWrite[];
  readonly writes: readonly RequestedWrite[];
  readonly reads: readonly RequestedRead[];
  /** Files served under the lease, to become reads by policy. */
  readonly recorded: readonly (readonly [TreePath, RecordedRead])[];
  /** Whether imports of the written files become reads. */
  readonly deriveReads: boolean;
  readonly policy: Policy;
}

/** Bytes with their blob id, on their way into the repository. */
export interface StagedBlob {
  readonly oid: Oid;
  readonly bytes: Uint8Array;
}

/** Content to be kept under a ref: writes over a base commit. `now` in milliseconds. */
export interface PreserveRequest {
  readonly preserved: PreservedId;
  readonly base: Oid;
  readonly writes: readonly ResolvedWrite[];
  readonly title: string;
  readonly now: number;
  readonly colony: string;
}

/** Which landings are read back, and how their regions are found. */
export interface LineageRequest {
  readonly limit: number;
  readonly regionDepth: number;
  readonly packages: readonly TreePath[];
}

/** What git alone tells of a colony's past: landings, oldest first, and the latest boot generation that they name. */
export interface Lineage {
  readonly landings: readonly ArchivedLanding[];
  readonly generation: number;
}

/** All calls reject only with storage failures (`StorageFailureError`); expected refusals are values. */
export interface TrunkService {
  /** Opens the repository and its present refs; `history` is the newest landings, newest first. */
  open(history: readonly ArchivedLanding[]): Promise<{ readonly tip: Oid; readonly notes: Oid | null }>;
  /** The landings that trunk and its notes tell of, for a colony whose journal is gone. */
  lineage(request: LineageRequest): Promise<Lineage>;
  /** Hands over bytes that are not in the repository yet. */
  stage(blobs: readonly StagedBlob[]): Promise<void>;
  unstage(oids: readonly Oid[]): Promise<void>;
  hasBlobs(oids: readonly Oid[]): Promise<readonly boolean[]>;
  resolve(request: ResolveRequest): Promise<Result<ProposalContent, EngineRefusal>>;
  /** Plans, builds and verifies a cycle; nothing is written yet. One cycle at a time. */
  plan(request: CycleRequest): Promise<CycleAnswer>;
  /** Makes the planned pack durable. */
  write(cycle: CycleId): Promise<void>;
  /**
   * Moves notes, then trunk. On `moved` the room's own history holds the landings; on `locked` it may be asked again.
   * After a storage failure, and on `unknown`, `recover` tells whether it moved.
   */
  move(cycle: CycleId): Promise<MoveAnswer>;
  /** Forgets a planned cycle. */
  discard(cycle: CycleId): Promise<void>;
  recover(refs: RefMove): Promise<RecoveryAnswer>;
  /** What someone else did to trunk since `known`; null when nothing. */
  foreign(known: Oid): Promise<ForeignChange | null>;
  remember(landing: LandingId, title: string, writes: readonly LandedWrite[], commit: Oid): Promise<void>;
  preserve(request: PreserveRequest): Promise<{ readonly commit: Oid; readonly ref: string }>;
  readFile(path: TreePath, commit: Oid): Promise<Result<FileAnswer, EngineRefusal>>;
  readTree(path: TreePath, commit: Oid): Promise<Result<TreeAnswer, EngineRefusal>>;
  /** The commit that made a line, by stock git's blame. */
  blame(path: TreePath, line: number, commit: Oid): Promise<Result<BlameAnswer, EngineRefusal>>;
  /** Consolidates packs when there are many; landing goes on. */
  maintain(): Promise<MaintenanceAnswer>;
  close(): Promise<void>;
}

/** What consolidating packs came to. */
export interface MaintenanceAnswer {
  /** Packs there are now. */
  readonly packs: number;
  /** Packs that were made by joining others. */
  readonly joined: number;
  /** Whether stock git consolidated. */
  readonly repacked: boolean;
}

export interface BlameAnswer {
  readonly commit: Oid;
  readonly summary: string;
  readonly author: string;
  /** Author time, milliseconds since the Unix epoch. */
  readonly at: number;
  readonly text: string;
}

/** A port failed: no room, no permission, a broken repository. The message says what to do. */
export class StorageFailureError extends Error {
  override readonly name = 'StorageFailureError';
  readonly hint: string;
  readonly retry: boolean;
  /** Whoever failed brings it to a person's attention, so nobody else needs to. */
  readonly isTold: boolean;

  constructor(problem: string, hint: string, retry: boolean, isTold = false) {
    super(problem);
    this.hint = hint;
    this.retry = retry;
    this.isTold = isTold;
  }
}
