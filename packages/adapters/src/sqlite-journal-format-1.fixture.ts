// Writes a journal file of format 1, as it was before events had checksums: for the tests of the upgrade.

import { DatabaseSync } from 'node:sqlite';

/** What a file of format 1 is filled with. */
export interface FormerContent {
  readonly epoch: number;
  readonly events: readonly string[];
  readonly blobs: readonly { readonly oid: string; readonly bytes: Uint8Array }[];
  readonly archive: readonly {
    readonly kind: string;
    readonly id: string;
    readonly keys: readonly string[];
    readonly body: string;
  }[];
  readonly snapshots: readonly { readonly sequence: number; readonly body: Uint8Array }[];
}

/** Creates the file `path` in format 1. */
export function writeFormat1(path: string, content: FormerContent): void {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    BEGIN;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE event (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL);
    CREATE TABLE blob (oid TEXT PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE archive (
      ordinal INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, keys TEXT NOT NULL, body TEXT NOT NULL,
      UNIQUE (kind, id)
    );
    CREATE TABLE snapshot (sequence INTEGER PRIMARY KEY, body BLOB NOT NULL);
  `);
  database.prepare("INSERT INTO meta VALUES ('format', 1), ('epoch', ?)").run(content.epoch);
  const event = database.prepare('INSERT INTO event (body) VALUES (?)');
  for (const body of content.events) event.run(body);
  const blob = database.prepare('INSERT INTO blob VALUES (?, ?)');
  for (const { oid, bytes } of content.blobs) blob.run(oid, bytes);
  const archive = database.prepare('INSERT INTO archive (kind, id, keys, body) VALUES (?, ?, ?, ?)');
  for (const { kind, id, keys, body } of content.archive) archive.run(kind, id, JSON.stringify(keys), body);
  const snapshot = database.prepare('INSERT INTO snapshot VALUES (?, ?)');
  for (const { sequence, body } of content.snapshots) snapshot.run(sequence, body);
  database.exec('COMMIT');
  database.close();
}
