// The port of the log: what a colony writes down before it says "yes", and what it reads back after a restart.
// It never knows what an event means, nor where or how the bytes are kept. Every implementation passes contract.ts.
//
//   J1. An append is all or nothing: its events, blobs, drops and archive rows become durable together, or none does.
//   J2. An append resolves only after it is durable. Appends become durable in the order in which they were made.
//   J3. Sequences have no gap: the events of an append follow `expectedSequence` one by one, or the append is refused.
//   J4. One owner: opening raises the epoch durably, and a handle of an earlier epoch can append nothing more.
//   J5. After an append failed, every later append through that handle fails too, until the journal is reopened.
//       An append refused for its expected sequence alone is no failure: nothing was attempted.
//   J6. A read sees everything that was acknowledged before it was asked for, and never a part of an append.
//   J7. What is damaged is said to be damaged: stored bytes that fail their checksum are never returned as good.

import type { Oid } from '@firetrident/base';

/** An archived thing: terminal, out of memory, found by id or by key. */
export interface ArchiveRow {
  readonly kind: string;
  readonly id: string;
  readonly keys: readonly string[];
  readonly body: string;
}

/**
 * What one group commit makes durable, all or nothing. Its parts take effect in the order drops, blobs, archive, so a
 * blob that is both dropped and staged stays. The caller leaves the bytes unchanged until the append settles.
 */
export interface JournalBatch {
  /** One JSON text each; their sequences are expectedSequence + 1 onwards. */
  readonly events: readonly string[];
  /** Staged contents. Staging the same id again changes nothing. */
  readonly blobs: readonly { readonly oid: Oid; readonly bytes: Uint8Array }[];
  /** Staged contents that are needed no more. Dropping what is not there changes nothing. */
  readonly droppedBlobs: readonly Oid[];
  /** Inserted, or replaced by (kind, id) together with all keys of the row. */
  readonly archive: readonly ArchiveRow[];
}

/** One event as it was appended. */
export interface JournalEvent {
  readonly sequence: number;
  readonly body: string;
}

/** What was found at opening. */
export interface JournalOpening {
  /** Sequence of the last event; 0 when there is none. */
  readonly sequence: number;
  /** The epoch now held by this handle: 1 for the first opening, raised durably by one at each opening. */
  readonly epoch: number;
  /** What was cut, upgraded or taken over: one sentence each, for a person. Empty after a clean shutdown. */
  readonly report: readonly string[];
}

/** The bytes of a snapshot: all at once, or part by part as they come to be, so that nobody ever holds all of them. */
export type SnapshotBody = Uint8Array | AsyncIterable<Uint8Array>;

/** An append-only log of events with the contents, archive and snapshots that belong to it. All refusals are `JournalError`. */
export interface Journal {
  readonly opening: JournalOpening;
  /** Makes a batch durable (J1 to J5). `expectedSequence` is the sequence of the event before the first one of the batch. */
  append(batch: JournalBatch, expectedSequence: number): Promise<void>;
  /** Up to `limit` events after `afterSequence`, ascending and without a gap. */
  events(afterSequence: number, limit: number): Promise<JournalEvent[]>;
  /**
   * Keeps a snapshot of the state after event `sequence`, durably and not before that event, which was appended earlier
   * (if perhaps not yet acknowledged). The two with the highest sequences are kept. The caller leaves the bytes
   * unchanged until this settles. A snapshot that fails does not end the handle.
   */
  putSnapshot(sequence: number, body: SnapshotBody): Promise<void>;
  /** The snapshot with the highest sequence. */
  latestSnapshot(): Promise<{ sequence: number; body: Uint8Array } | null>;
  /** Staged bytes of a blob. */
  blob(oid: Oid): Promise<Uint8Array | null>;
  /** Ids of all staged blobs, in ascending order. */
  blobs(): Promise<Oid[]>;
  /** Body of an archived row. */
  archived(kind: string, id: string): Promise<string | null>;
  /** Body of the row that carries `key`; of several, the one that was first inserted last. */
  archivedByKey(kind: string, key: string): Promise<string | null>;
  /** Bodies of the rows that carry `key`, the one that was first inserted last at the front, at most `limit`. */
  archivedAllByKey(kind: string, key: string, limit: number): Promise<string[]>;
  /** Archived rows of a kind, newest first in order of first insertion, from before `beforeId` on; none when that id is unknown. */
  archivedPage(kind: string, options: { beforeId?: string; limit: number }): Promise<{ id: string; body: string }[]>;
  /** Waits for what was appended, then lets go. Closing again changes nothing; everything else is then refused as `closed`. */
  close(): Promise<void>;
}

/**
 * Why the journal refused.
 * `full`: no room left. `read-only`: the place cannot be written. `fenced`: another owner raised the epoch, or the
 * expected sequence does not match. `damaged`: stored bytes contradict themselves. `locked`: another process holds the
 * journal. `newer-format`: written by a later version. `closed`: this handle was closed. `failed`: anything else.
 */
export type JournalErrorKind =
  | 'full'
  | 'read-only'
  | 'fenced'
  | 'damaged'
  | 'locked'
  | 'newer-format'
  | 'closed'
  | 'failed';

/** An operating error of the journal, classified once, where it arose. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly kind: JournalErrorKind;
  /** The file or directory concerned; for a journal in memory, its name. */
  readonly path: string;
  /** What to do next, for a person. */
  readonly hint: string;

  constructor(kind: JournalErrorKind, message: string, path: string, hint: string) {
    super(message);
    this.kind = kind;
    this.path = path;
    this.hint = hint;
  }
}

/** A batch with nothing in it, to be spread and filled. */
export const emptyBatch: JournalBatch = { events: [], blobs: [], droppedBlobs: [], archive: [] };
