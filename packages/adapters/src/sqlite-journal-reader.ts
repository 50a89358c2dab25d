// The reading half of a journal file: a second, read-only connection, so that reads do not wait for commits.
// It runs in the reading thread and sees every transaction that ended before the read began (J6).
//
//   SR1. What is read back is checked before it is given out (J7).

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Oid } from '@firetrident/base';
import { checkedEvents, type EventRecord, type JournalError } from '@firetrident/journal';
import { journalError } from './sqlite-journal-errors.ts';
import { checksumOfEvent } from './sqlite-journal-schema.ts';

/** Consecutive events, without repeating their sequences. */
export interface EventPage {
  readonly firstSequence: number;
  readonly bodies: readonly string[];
}

/** Reads of a journal file that a writer has opened before. */
export class JournalReader {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    this.#statements = prepare(this.#database);
  }

  events(afterSequence: number, limit: number): EventPage {
    const rows = this.#statements.events.all(afterSequence, limit) as unknown as EventRecord[];
    const events = checkedEvents(rows, afterSequence, this.#path, checksumOfEvent);
    return { firstSequence: afterSequence + 1, bodies: events.map(({ body }) => body) };
  }

  latestSnapshot(): { sequence: number; body: Uint8Array } | null {
    // One transaction, so that the writer cannot drop the parts while they are read.
    this.#database.exec('BEGIN');
    try {
      return this.#latestSnapshot();
    } finally {
      this.#database.exec('ROLLBACK');
    }
  }

  #latestSnapshot(): { sequence: number; body: Uint8Array } | null {
    const head = this.#statements.latestSnapshot.get();
    if (head === undefined) return null;
    const body = new Uint8Array(Number(head.size));
    let offset = 0;
    for (const { bytes } of this.#statements.parts.iterate(Number(head.number))) {
      const part = bytes as Uint8Array;
      if (offset + part.length > body.length) throw this.#damage(`the snapshot of event ${head.sequence}`);
      body.set(part, offset);
      offset += part.length;
    }
    if (offset !== body.length || crc32(body) !== head.checksum) {
      throw this.#damage(`the snapshot of event ${head.sequence}`);
    }
    return { sequence: Number(head.sequence), body };
  }

  blob(oid: Oid): Uint8Array | null {
    const row = this.#statements.blob.get(oid);
    if (row === undefined) return null;
    const bytes = row.bytes as Uint8Array;
    if (crc32(bytes) !== row.checksum) throw this.#damage(`the staged blob ${oid}`);
    return bytes;
  }

  blobs(): Oid[] {
    return this.#statements.blobs.all().map(({ oid }) => String(oid));
  }

  archived(kind: string, id: string): string | null {
    return this.#body(this.#statements.archived.get(kind, id), kind, id);
  }

  archivedByKey(kind: string, key: string): string | null {
    return this.#body(this.#statements.archivedByKey.get(kind, key), kind, key);
  }

  archivedAllByKey(kind: string, key: string, limit: number): string[] {
    const rows = this.#statements.archivedAllByKey.all(kind, key, limit);
    return rows.map((row) => this.#body(row, kind, key) ?? '');
  }

  archivedPage(kind: string, beforeId: string | null, limit: number): { id: string; body: string }[] {
    const rows =
      beforeId === null
        ? this.#statements.newestPage.all(kind, limit)
        : this.#statements.pageBefore.all(kind, kind, beforeId, limit);
    return rows.map((row) => ({ id: String(row.id), body: this.#body(row, kind, String(row.id)) ?? '' }));
  }

  close(): void {
    this.#database.close();
  }

  #body(row: Record<string, unknown> | undefined, kind: string, name: string): string | null {
    if (row === undefined) return null;
    const body = String(row.body);
    if (crc32(body) !== row.checksum) throw this.#damage(`the archived ${kind} ${name}`);
    return body;
  }

  /** The refusal of what is stored otherwise than it was written (SR1). */
  #damage(what: string): JournalError {
    const message = `The journal is damaged: ${what} does not have the checksum it was written with.`;
    return journalError('damaged', message, this.#path);
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string): StatementSync => database.prepare(sql);
  return {
    events: statement('SELECT sequence, checksum, body FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?'),
    latestSnapshot: statement(`
      SELECT number, sequence, size, checksum FROM snapshot WHERE complete = 1 ORDER BY sequence DESC, number DESC LIMIT 1
    `),
    parts: statement('SELECT bytes FROM snapshot_part WHERE number = ? ORDER BY ordinal'),
    blob: statement('SELECT checksum, bytes FROM blob WHERE oid = ?'),
    blobs: statement('SELECT oid FROM blob ORDER BY oid'),
    archived: statement('SELECT checksum, body FROM archive WHERE kind = ? AND id = ?'),
    archivedByKey: statement(`
      SELECT checksum, body FROM archive WHERE ordinal = (SELECT max(ordinal) FROM archive_key WHERE kind = ? AND key = ?)
    `),
    archivedAllByKey: statement(`
      SELECT checksum, body FROM archive_key JOIN archive USING (ordinal)
      WHERE archive_key.kind = ? AND key = ? ORDER BY ordinal DESC LIMIT ?
    `),
    newestPage: statement('SELECT id, checksum, body FROM archive WHERE kind = ? ORDER BY ordinal DESC LIMIT ?'),
    pageBefore: statement(`
      SELECT id, checksum, body FROM archive
      WHERE kind = ? AND ordinal < (SELECT ordinal FROM archive WHERE kind = ? AND id = ?)
      ORDER BY ordinal DESC LIMIT ?
    `),
  };
}
