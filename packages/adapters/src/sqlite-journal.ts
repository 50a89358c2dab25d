// The embedded journal: `journal.db` in a directory, written and read by two worker threads. This is the half that lives
// in the caller's thread; it forms the groups that are committed together.
// It never knows what events mean, and never touches the file itself.
//
//   SJ1. One commit is in flight; every append that is made meanwhile goes into the next one, in order (J2). A group is
//        bounded; what exceeds it forms the group after.
//   SJ2. A commit that failed fails all its appends, all that wait, and all later ones (J5).
//   SJ3. One process holds the journal: a second one is refused and told who holds it. Should the lock be bypassed, the
//        epoch still fences the older owner (J4).

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert, type Oid } from '@firetrident/base';
import {
  HandleState,
  type Journal,
  type JournalBatch,
  type JournalError,
  type JournalEvent,
  type JournalOpening,
  type SnapshotBody,
} from '@firetrident/journal';
import { acquireDirectoryLock, type DirectoryLock } from './directory-lock.ts';
import { classifyError, journalError } from './sqlite-journal-errors.ts';
import type { ReadRequest, ReadValues, WriteRequest } from './sqlite-journal-messages.ts';
import { JournalReading } from './sqlite-journal-reading.ts';
import { snapshotPartBytes } from './sqlite-journal-schema.ts';
import { JournalThread } from './sqlite-journal-thread.ts';
import type { BatchRest } from './sqlite-journal-writer.ts';

/** Bounds of one group (SJ1). */
const groupAppends = 4_096;
const groupBytes = 8 << 20;

interface Waiting {
  readonly batch: JournalBatch;
  readonly expectedSequence: number;
  readonly sizeBytes: number;
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

/** The journal port on SQLite. */
export class SqliteJournal implements Journal {
  readonly opening: JournalOpening;
  readonly #writer: JournalThread<WriteRequest>;
  readonly #reader: JournalReading;
  readonly #lock: DirectoryLock;
  readonly #state: HandleState;
  #waiting: Waiting[] = [];
  #committing: Promise<void> | null = null;
  #lastAppend: Promise<void> = Promise.resolve();
  #snapshots: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  private constructor(
    path: string,
    opening: JournalOpening,
    lock: DirectoryLock,
    writer: JournalThread<WriteRequest>,
    reader: JournalReading,
  ) {
    this.opening = opening;
    this.#lock = lock;
    this.#writer = writer;
    this.#reader = reader;
    this.#state = new HandleState(path, opening.sequence);
  }

  /**
   * Opens the journal in `directory`, which is made if missing. Rejects with a JournalError of the kind `locked`,
   * `damaged`, `newer-format`, `full`, `read-only` or `failed`.
   */
  static async open(directory: string): Promise<SqliteJournal> {
    const path = join(directory, 'journal.db');
    const lock = takeLock(directory, path); // (SJ3)
    try {
      const { writer, reader } = await startThreads(path);
      assert(writer.opening !== null, 'a writing thread says what it found');
      return new SqliteJournal(path, withAbandonment(writer.opening, lock), lock, writer, reader);
    } catch (error) {
      lock.release();
      throw classifyError(error, path);
    }
  }

  append(batch: JournalBatch, expectedSequence: number): Promise<void> {
    const refusal = this.#state.admit(batch, expectedSequence);
    if (refusal !== null) return Promise.reject(refusal);
    this.#lastAppend = new Promise((resolve, reject) => {
      this.#waiting.push({ batch, expectedSequence, sizeBytes: sizeOf(batch), resolve, reject });
      this.#committing ??= this.#commitAll();
    });
    return this.#lastAppend;
  }

  async events(afterSequence: number, limit: number): Promise<JournalEvent[]> {
    const { firstSequence, bodies } = await this.#read('events', { operation: 'events', afterSequence, limit });
    return bodies.map((body, index) => ({ sequence: firstSequence + index, body }));
  }

  putSnapshot(sequence: number, body: SnapshotBody): Promise<void> {
    const refusal = this.#state.admitSnapshot(sequence);
    if (refusal !== null) return Promise.reject(refusal);
    // Appends become durable in order, so the last one that was made is the one to wait for.
    const appended = this.#lastAppend;
    const put = this.#snapshots.then(() => appended).then(() => this.#putSnapshot(sequence, body));
    // Whoever asked hears of the failure through `put`; the chain only keeps the order.
    this.#snapshots = put.catch(() => undefined);
    return put;
  }

  latestSnapshot(): Promise<{ sequence: number; body: Uint8Array } | null> {
    return this.#read('latest-snapshot', { operation: 'latest-snapshot' });
  }

  blob(oid: Oid): Promise<Uint8Array | null> {
    return this.#read('blob', { operation: 'blob', oid });
  }

  blobs(): Promise<Oid[]> {
    return this.#read('blobs', { operation: 'blobs' });
  }

  archived(kind: string, id: string): Promise<string | null> {
    return this.#read('archived', { operation: 'archived', kind, id });
  }

  archivedByKey(kind: string, key: string): Promise<string | null> {
    return this.#read('archived-by-key', { operation: 'archived-by-key', kind, key });
  }

  archivedAllByKey(kind: string, key: string, limit: number): Promise<string[]> {
    return this.#read('archived-all-by-key', { operation: 'archived-all-by-key', kind, key, limit });
  }

  archivedPage(
    kind: string,
    { beforeId, limit }: { beforeId?: string; limit: number },
  ): Promise<{ id: string; body: string }[]> {
    return this.#read('archived-page', { operation: 'archived-page', kind, beforeId: beforeId ?? null, limit });
  }

  close(): Promise<void> {
    this.#state.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#committing;
    await this.#snapshots;
    try {
      await this.#reader.close();
    } finally {
      // The writer closes last: the last connection carries the write-ahead log over and removes it.
      await this.#writer.close({ operation: 'close' }).finally(() => this.#lock.release());
    }
  }

  async #commitAll(): Promise<void> {
    // What the same turn of the caller still appends joins the first group.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        const { request, transfer } = commitOf(group);
        await this.#writer.ask(request, transfer);
        for (const { resolve } of group) resolve();
      } catch (error) {
        this.#fail(group, error as JournalError);
      }
    }
    this.#committing = null;
  }

  /** Fails everything that is or will be appended (SJ2). */
  #fail(group: readonly Waiting[], error: JournalError): void {
    this.#state.fail(error);
    for (const { reject } of group) reject(error);
    const later = this.#state.refuseCommit() ?? error;
    for (const { reject } of this.#waiting) reject(later);
    this.#waiting = [];
  }

  #takeGroup(): Waiting[] {
    let [count, bytes] = [0, 0];
    for (const { sizeBytes } of this.#waiting) {
      if (count > 0 && (count === groupAppends || bytes + sizeBytes > groupBytes)) break;
      count += 1;
      bytes += sizeBytes;
    }
    return this.#waiting.splice(0, count);
  }

  async #putSnapshot(sequence: number, body: SnapshotBody): Promise<void> {
    await this.#writer.ask({ operation: 'begin-snapshot', sequence });
    for await (const bytes of body instanceof Uint8Array ? partsOf(body) : body) {
      const alone = bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
      await this.#writer.ask({ operation: 'add-snapshot-part', bytes: alone }, [alone.buffer as ArrayBuffer]);
    }
    await this.#writer.ask({ operation: 'end-snapshot' });
  }

  #read<O extends ReadRequest['operation']>(_operation: O, request: ReadRequest): Promise<ReadValues[O]> {
    const refusal = this.#state.refuseRead();
    if (refusal !== null) return Promise.reject(refusal);
    return this.#reader.ask(request) as Promise<ReadValues[O]>;
  }
}

function* partsOf(body: Uint8Array): Iterable<Uint8Array> {
  for (let offset = 0; offset < body.length; offset += snapshotPartBytes) {
    // Copied, because sending a view would send all of the memory behind it.
    yield new Uint8Array(body.subarray(offset, offset + snapshotPartBytes));
  }
}

function takeLock(directory: string, path: string): DirectoryLock {
  try {
    mkdirSync(directory, { recursive: true });
    const lock = acquireDirectoryLock(directory, { purpose: 'journal' });
    if (lock.ok) return lock.value;
    throw journalError('locked', lock.error.message, lock.error.path);
  } catch (error) {
    throw classifyError(error, path);
  }
}

/** Starts both threads at once, or neither. */
async function startThreads(path: string): Promise<{
  writer: JournalThread<WriteRequest>;
  reader: JournalReading;
}> {
  const [writer, reader] = await Promise.allSettled([
    JournalThread.start<WriteRequest>({ role: 'write', path }),
    JournalReading.start(path),
  ]);
  if (writer.status === 'fulfilled' && reader.status === 'fulfilled') {
    return { writer: writer.value, reader: reader.value };
  }
  if (reader.status === 'fulfilled') await reader.value.close();
  if (writer.status === 'fulfilled') await writer.value.close({ operation: 'close' });
  throw writer.status === 'rejected' ? writer.reason : (reader as PromiseRejectedResult).reason;
}

function withAbandonment(opening: JournalOpening, { abandonedBy }: DirectoryLock): JournalOpening {
  if (abandonedBy === null) return opening;
  const { processId, host, since } = abandonedBy;
  const line = `Process ${processId} on ${host}, which held the journal since ${since}, ended without closing it.`;
  return { ...opening, report: [line, ...opening.report] };
}

/** About how much a batch weighs in a group. */
function sizeOf(batch: JournalBatch): number {
  let size = 0;
  for (const body of batch.events) size += body.length;
  for (const { bytes } of batch.blobs) size += bytes.length;
  for (const { body } of batch.archive) size += body.length;
  return size;
}

/** The commit of a group, and the memory that is handed over with it. */
function commitOf(group: readonly Waiting[]): { request: WriteRequest; transfer: ArrayBuffer[] } {
  const events: string[] = [];
  const rests: BatchRest[] = [];
  const transfer: ArrayBuffer[] = [];
  for (const { batch } of group) {
    for (const body of batch.events) events.push(body);
    const { blobs, droppedBlobs, archive } = batch;
    if (blobs.length + droppedBlobs.length + archive.length === 0) continue;
    // Copied, because sending a view would send all of the memory behind it.
    const copies = blobs.map(({ oid, bytes }) => ({ oid, bytes: new Uint8Array(bytes) }));
    for (const { bytes } of copies) transfer.push(bytes.buffer);
    rests.push({ blobs: copies, droppedBlobs, archive });
  }
  const expectedSequence = group[0]?.expectedSequence ?? 0;
  return { request: { operation: 'commit', group: { expectedSequence, events, rests } }, transfer };
}
