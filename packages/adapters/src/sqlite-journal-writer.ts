// The writing half of a journal file: turns a group of appends into one transaction. Runs in the writing thread.
//
//   SW1. Each transaction checks, under the writer's lock of SQLite, that our epoch is still the newest and that the
//        last sequence is the expected one; otherwise it writes nothing (J3, J4).
//   SW2. A snapshot becomes visible in the transaction that ends it, never before.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Oid } from '@firetrident/base';
import {
  type ArchiveRow,
  epochFenced,
  type JournalBatch,
  type JournalOpening,
  sequenceMismatch,
} from '@firetrident/journal';
import { deleteSnapshot, inTransaction, openJournalFile } from './sqlite-journal-opening.ts';
import { checksumOfEvent } from './sqlite-journal-schema.ts';

/** What batches carry besides events. */
export type BatchRest = Omit<JournalBatch, 'events'>;

/** Several appends in one: all events in order, then the rest of each append in order. */
export interface AppendGroup {
  readonly expectedSequence: number;
  readonly events: readonly string[];
  readonly rests: readonly BatchRest[];
}

/** Events per INSERT statement where there are that many. */
const rowsPerInsert = 32;

/** The one writer of a journal file. */
export class JournalWriter {
  readonly opening: JournalOpening;
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements: ReturnType<typeof prepare>;
  #sequence: number;
  /** Checksum so far and number of parts of the snapshot that is being put. */
  #snapshot = { number: 0, size: 0, checksum: 0, parts: 0 };

  /** Opens the file, which raises the epoch. */
  constructor(path: string) {
    const { database, opening } = openJournalFile(path);
    this.#path = path;
    this.#database = database;
    this.opening = opening;
    this.#sequence = opening.sequence;
    this.#statements = prepare(database);
  }

  /** Makes a group durable. */
  commit(group: AppendGroup): void {
    this.#transaction(() => {
      if (group.expectedSequence !== this.#sequence) {
        throw sequenceMismatch(group.expectedSequence, this.#sequence, this.#path);
      }
      this.#insertEvents(group.expectedSequence, group.events);
      for (const rest of group.rests) this.#applyRest(rest);
    });
    this.#sequence += group.events.length;
  }

  /** Begins a snapshot; one at a time. */
  beginSnapshot(sequence: number): void {
    this.#transaction(() => {
      for (const row of this.#statements.unfinishedSnapshots.all()) deleteSnapshot(this.#database, Number(row.number));
      const { lastInsertRowid } = this.#statements.insertSnapshot.run(sequence);
      this.#snapshot = { number: Number(lastInsertRowid), size: 0, checksum: 0, parts: 0 };
    });
  }

  /** Adds the next part of the snapshot that was begun. */
  addSnapshotPart(bytes: Uint8Array): void {
    const { number, size, checksum, parts } = this.#snapshot;
    this.#transaction(() => this.#statements.insertPart.run(number, parts, bytes));
    this.#snapshot = { number, size: size + bytes.length, checksum: crc32(bytes, checksum), parts: parts + 1 };
  }

  /** Ends the snapshot (SW2) and drops all but the two with the highest sequences. */
  endSnapshot(): void {
    const { number, size, checksum } = this.#snapshot;
    this.#transaction(() => {
      this.#statements.finishSnapshot.run(size, checksum, number);
      for (const row of this.#statements.surplusSnapshots.all()) deleteSnapshot(this.#database, Number(row.number));
    });
  }

  /** Carries everything over to the database file and lets go of it. */
  close(): void {
    this.#database.close();
  }

  /** Runs `body` in a transaction that belongs to us (SW1). */
  #transaction(body: () => void): void {
    inTransaction(this.#database, () => {
      const epoch = Number(this.#statements.epoch.get()?.value);
      if (epoch !== this.opening.epoch) throw epochFenced(this.opening.epoch, epoch, this.#path);
      body();
    });
  }

  #insertEvents(after: number, events: readonly string[]): void {
    const { insertEvent, insertEvents } = this.#statements;
    let index = 0;
    for (; index + rowsPerInsert <= events.length; index += rowsPerInsert) {
      const values: (number | string)[] = [];
      for (let row = index; row < index + rowsPerInsert; row += 1) {
        const body = events[row] as string;
        values.push(after + row + 1, checksumOfEvent(after + row + 1, body), body);
      }
      insertEvents.run(...values);
    }
    for (; index < events.length; index += 1) {
      const [sequence, body] = [after + index + 1, events[index] as string];
      insertEvent.run(sequence, checksumOfEvent(sequence, body), body);
    }
  }

  #applyRest({ droppedBlobs, blobs, archive }: BatchRest): void {
    for (const oid of droppedBlobs) this.#statements.deleteBlob.run(oid);
    for (const { oid, bytes } of blobs) this.#stage(oid, bytes);
    for (const row of archive) this.#archive(row);
  }

  #stage(oid: Oid, bytes: Uint8Array): void {
    this.#statements.insertBlob.run(oid, crc32(bytes), bytes);
  }

  #archive({ kind, id, keys, body }: ArchiveRow): void {
    const { putArchive, deleteKeys, insertKey } = this.#statements;
    const row = putArchive.get(kind, id, crc32(body), body);
    const ordinal = Number(row?.ordinal);
    deleteKeys.run(ordinal);
    for (const key of keys) insertKey.run(kind, key, ordinal);
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string): StatementSync => database.prepare(sql);
  const rows = Array.from({ length: rowsPerInsert }, () => '(?, ?, ?)').join(', ');
  return {
    epoch: statement("SELECT value FROM meta WHERE key = 'epoch'"),
    insertEvent: statement('INSERT INTO event (sequence, checksum, body) VALUES (?, ?, ?)'),
    insertEvents: statement(`INSERT INTO event (sequence, checksum, body) VALUES ${rows}`),
    insertBlob: statement('INSERT INTO blob (oid, checksum, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    deleteBlob: statement('DELETE FROM blob WHERE oid = ?'),
    putArchive: statement(`
      INSERT INTO archive (kind, id, checksum, body) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET checksum = excluded.checksum, body = excluded.body RETURNING ordinal
    `),
    deleteKeys: statement('DELETE FROM archive_key WHERE ordinal = ?'),
    insertKey: statement('INSERT INTO archive_key (kind, key, ordinal) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    insertSnapshot: statement('INSERT INTO snapshot (sequence, size, checksum, complete) VALUES (?, 0, 0, 0)'),
    insertPart: statement('INSERT INTO snapshot_part (number, ordinal, bytes) VALUES (?, ?, ?)'),
    finishSnapshot: statement('UPDATE snapshot SET size = ?, checksum = ?, complete = 1 WHERE number = ?'),
    unfinishedSnapshots: statement('SELECT number FROM snapshot WHERE complete = 0'),
    /** Of each sequence only the newest stays, and of those the two highest. */
    surplusSnapshots: statement(`
      SELECT number FROM snapshot WHERE number NOT IN (
        SELECT max(number) FROM snapshot WHERE complete = 1 GROUP BY sequence ORDER BY sequence DESC LIMIT 2
      )
    `),
  };
}
