// The tables of a journal file and the way from older ones to these.
// It never knows who opens the file or what its events mean.
//
//   SF1. The table `meta` and its key `format` never change their form: every version can read which version wrote a file.
//   SF2. An upgrade is one transaction: after a failure the file is as it was.

import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** Size of the parts that a snapshot is stored in, so that no commit waits for a whole snapshot. */
export const snapshotPartBytes = 1 << 20;

/** Tables of formats 2 and 3. `ordinal` is the order of first insertion; AUTOINCREMENT is not needed, as no row is deleted. */
export const schemaOfFormat2 = `
  CREATE TABLE event (sequence INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE TABLE blob (oid TEXT PRIMARY KEY, checksum INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE TABLE archive (
    ordinal INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, checksum INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX archive_by_id ON archive (kind, id);
  CREATE INDEX archive_by_kind ON archive (kind, ordinal);
  CREATE TABLE archive_key (
    kind TEXT NOT NULL, key TEXT NOT NULL, ordinal INTEGER NOT NULL, PRIMARY KEY (kind, key, ordinal)
  ) WITHOUT ROWID;
  CREATE INDEX archive_key_by_row ON archive_key (ordinal);
  CREATE TABLE snapshot (
    number INTEGER PRIMARY KEY AUTOINCREMENT, sequence INTEGER NOT NULL, size INTEGER NOT NULL,
    checksum INTEGER NOT NULL, complete INTEGER NOT NULL
  );
  CREATE TABLE snapshot_part (number INTEGER NOT NULL, ordinal INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE UNIQUE INDEX snapshot_part_by_place ON snapshot_part (number, ordinal);
`;

/** Checksum of an event: the same value as `eventChecksum` of the journal package (JR1), from the platform's CRC-32. */
export function checksumOfEvent(sequence: number, body: string): number {
  return crc32(body, crc32(String(sequence)));
}

/** Creates the tables of the current format, with no epoch taken yet. Runs in the caller's transaction. */
export function createSchema(database: DatabaseSync, format: number): void {
  database.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID');
  database.exec(schemaOfFormat2);
  database.prepare("INSERT INTO meta VALUES ('format', ?), ('epoch', 0)").run(format);
}

/**
 * Format 1 had no checksums, kept the keys of an archive row inside it without an index, and a snapshot in one piece.
 * The content is taken as it is: what was damaged before the upgrade cannot be told from what was written.
 */
function upgradeFrom1(database: DatabaseSync): void {
  database.function('event_checksum', (sequence, body) => checksumOfEvent(Number(sequence), String(body)));
  database.function('checksum', (value) => crc32(value as string | Uint8Array));
  for (const table of ['event', 'blob', 'archive', 'snapshot']) {
    database.exec(`ALTER TABLE ${table} RENAME TO ${table}_of_format_1`);
  }
  database.exec(schemaOfFormat2);
  database.exec(`
    INSERT INTO event SELECT sequence, event_checksum(sequence, body), body FROM event_of_format_1 ORDER BY sequence;
    INSERT INTO blob SELECT oid, checksum(bytes), bytes FROM blob_of_format_1;
    INSERT INTO archive SELECT ordinal, kind, id, checksum(body), body FROM archive_of_format_1 ORDER BY ordinal;
    INSERT OR IGNORE INTO archive_key
      SELECT kind, json_each.value, ordinal FROM archive_of_format_1, json_each(archive_of_format_1.keys);
    INSERT INTO snapshot (sequence, size, checksum, complete)
      SELECT sequence, length(body), checksum(body), 1 FROM snapshot_of_format_1 ORDER BY sequence;
    INSERT INTO snapshot_part
      SELECT number, 0, body FROM snapshot_of_format_1 JOIN snapshot USING (sequence);
  `);
  for (const table of ['event', 'blob', 'archive', 'snapshot']) database.exec(`DROP TABLE ${table}_of_format_1`);
  database.exec("UPDATE meta SET value = 2 WHERE key = 'format'");
}

/**
 * Format 3 has the tables of format 2. What a snapshot holds has a number of its own, which was the same for several
 * forms: a version that writes format 2 would take a snapshot of today for one of its own, so it must not open the file.
 */
function upgradeFrom2(database: DatabaseSync): void {
  database.exec("UPDATE meta SET value = 3 WHERE key = 'format'");
}

/** The step away from each older format, to the next one. */
export const upgradeSteps: Readonly<Record<number, (database: DatabaseSync) => void>> = {
  1: upgradeFrom1,
  2: upgradeFrom2,
};
