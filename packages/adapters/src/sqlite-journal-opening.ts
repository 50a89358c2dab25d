// Opening a journal file: create or upgrade it, find out whether it can be trusted, take the epoch.
// It runs in the writing thread, after the lock of the directory was taken. It never knows what events mean.
//
//   SO1. Nothing is changed before the format is known; a file of a newer format is left as it is.
//   SO2. An upgrade first keeps a copy of the file as it was.
//   SO3. What is damaged is refused, never repaired in silence. A damaged snapshot alone is dropped and reported,
//        because the one before it and the events give the same state.
//   SO4. The epoch is raised durably before the handle is given out (J4).

import { closeSync, constants, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { checkedEvents, type EventRecord, type JournalOpening, journalFormat } from '@firetrident/journal';
import { classifyError, journalError } from './sqlite-journal-errors.ts';
import { checksumOfEvent, createSchema, upgradeSteps } from './sqlite-journal-schema.ts';
import { examineWal } from './sqlite-journal-wal.ts';

/** How many events before the end are read and checked at opening; all others are checked whenever they are read. */
export const checkedTailEvents = 10_000;

const checkedPageEvents = 1_000;
/** Pages in the write-ahead log at which a commit carries them over to the database: 16 MiB of 4 KiB pages. */
const checkpointPages = 4_096;
/** What a write-ahead log that grew (a snapshot, an upgrade) is cut back to, in bytes. */
const walLimitBytes = 64 << 20;
/** How long a foreign program that reads the file, such as a backup, may delay a commit. */
const foreignLockWaitMs = 5_000;

/** An opened journal file. */
export interface OpenedFile {
  readonly database: DatabaseSync;
  readonly opening: JournalOpening;
}

/** Opens the journal file `path`, or throws a JournalError or what SQLite or the file system threw. */
export function openJournalFile(path: string): OpenedFile {
  const report: string[] = [];
  reportWal(path, report);
  let database = connect(path);
  try {
    const format = formatOf(database, path); // (SO1)
    if (format === null) create(database);
    else if (format < journalFormat) {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      // The file is copied while no connection has it open: closing another descriptor would drop SQLite's locks.
      database.close();
      keepCopy(path, format); // (SO2)
      database = connect(path);
      upgrade(database, format);
      report.push(
        `Upgraded from format ${format} to ${journalFormat}; the file as it was is ${backupName(path, format)}.`,
      );
    }
    dropBadSnapshots(database, report);
    const sequence = checkEvents(database, path);
    const epoch = raiseEpoch(database); // (SO4)
    carryOver(database, path, report);
    return { database, opening: { sequence, epoch, report } };
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
}

/** Starts with an empty write-ahead log where there is room for what it holds; it may as well stay as it is. */
function carryOver(database: DatabaseSync, path: string, report: string[]): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (classifyError(error, path).kind !== 'full') throw error;
    report.push('The disk is nearly full: the write-ahead log could not be carried over to the database.');
  }
}

function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: foreignLockWaitMs });
  database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.exec(`PRAGMA journal_size_limit = ${walLimitBytes}; PRAGMA temp_store = MEMORY`);
  return database;
}

function reportWal(path: string, report: string[]): void {
  const wal = `${path}-wal`;
  const finding = examineWal(wal);
  switch (finding.kind) {
    case 'whole':
      break;
    case 'damaged':
      throw journalError('damaged', `The journal is damaged: ${finding.reason}.`, path);
    case 'torn':
      report.push(`Cut ${finding.bytes} bytes at the end of ${basename(wal)} that were never acknowledged.`);
      break;
  }
  if (!existsSync(path) && existsSync(wal)) {
    throw journalError('damaged', `The journal is damaged: ${basename(wal)} is there, but its database is not.`, path);
  }
}

/** Format of the file (SF1); null when it holds nothing yet. */
function formatOf(database: DatabaseSync, path: string): number | null {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  if (tables.length === 0) return null;
  const isJournal = tables.some(({ name }) => name === 'meta') && tables.some(({ name }) => name === 'event');
  const row = isJournal ? database.prepare("SELECT value FROM meta WHERE key = 'format'").get() : undefined;
  if (row === undefined) throw journalError('damaged', `${basename(path)} is a database, but no journal.`, path);
  const format = Number(row.value);
  if (format > journalFormat) {
    const message = `${basename(path)} is of format ${format}; this version reads formats up to ${journalFormat}.`;
    throw journalError('newer-format', message, path);
  }
  if (format < journalFormat && upgradeSteps[format] === undefined) {
    throw journalError('damaged', `${basename(path)} is of format ${format}, which never existed.`, path);
  }
  return format;
}

function create(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL');
  inTransaction(database, () => createSchema(database, journalFormat));
}

/** Takes every step from format `from` to ours, all in one transaction (SF2). */
function upgrade(database: DatabaseSync, from: number): void {
  inTransaction(database, () => {
    for (let format = from; format < journalFormat; format += 1) upgradeSteps[format]?.(database);
  });
}

function backupName(path: string, format: number): string {
  return `${basename(path)}.format-${format}.backup`;
}

/** Keeps the file as `<name>.format-<n>.backup`, durably; a copy that is there under this name is whole. */
function keepCopy(path: string, format: number): void {
  const copy = `${path}.format-${format}.backup`;
  const draft = `${copy}.draft`;
  try {
    copyFileSync(path, draft, constants.COPYFILE_FICLONE);
    syncFile(draft);
    renameSync(draft, copy);
  } catch (error) {
    // A copy that did not fit must not keep the room it took.
    rmSync(draft, { force: true });
    throw error;
  }
  syncFile(dirname(path));
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes snapshots that were not finished, and those that fail their checksum (SO3). */
function dropBadSnapshots(database: DatabaseSync, report: string[]): void {
  for (const row of database.prepare('SELECT number, sequence, complete FROM snapshot ORDER BY number').all()) {
    const [number, complete] = [Number(row.number), row.complete === 1];
    if (complete && snapshotHolds(database, number)) continue;
    if (complete)
      report.push(`The snapshot of event ${row.sequence} is damaged and was dropped; an earlier state serves.`);
    inTransaction(database, () => deleteSnapshot(database, number));
  }
}

function snapshotHolds(database: DatabaseSync, number: number): boolean {
  const head = database.prepare('SELECT size, checksum FROM snapshot WHERE number = ?').get(number);
  let [size, checksum] = [0, 0];
  const parts = database.prepare('SELECT bytes FROM snapshot_part WHERE number = ? ORDER BY ordinal');
  for (const { bytes } of parts.iterate(number)) {
    size += (bytes as Uint8Array).length;
    checksum = crc32(bytes as Uint8Array, checksum);
  }
  return head?.size === size && head.checksum === checksum;
}

/** Removes a snapshot and its parts. Runs in the caller's transaction. */
export function deleteSnapshot(database: DatabaseSync, number: number): void {
  database.prepare('DELETE FROM snapshot_part WHERE number = ?').run(number);
  database.prepare('DELETE FROM snapshot WHERE number = ?').run(number);
}

/** Checks that no event is missing since the latest snapshot and that the last ones are whole; answers the last sequence. */
function checkEvents(database: DatabaseSync, path: string): number {
  const last = Number(database.prepare('SELECT coalesce(max(sequence), 0) AS last FROM event').get()?.last);
  const snapshot = Number(database.prepare('SELECT coalesce(max(sequence), 0) AS last FROM snapshot').get()?.last);
  if (snapshot > last) {
    const message = `The journal is damaged: it ends at event ${last}, but has a snapshot of event ${snapshot}.`;
    throw journalError('damaged', message, path);
  }
  const count = Number(database.prepare('SELECT count(*) AS n FROM event WHERE sequence > ?').get(snapshot)?.n);
  if (count !== last - snapshot) {
    const message = `The journal is damaged: of the events ${snapshot + 1} to ${last}, ${last - snapshot - count} are missing.`;
    throw journalError('damaged', message, path);
  }
  const select = database.prepare(
    'SELECT sequence, checksum, body FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?',
  );
  for (let after = Math.max(0, last - checkedTailEvents); after < last; after += checkedPageEvents) {
    const rows = select.all(after, checkedPageEvents) as unknown as EventRecord[];
    checkedEvents(rows, after, path, checksumOfEvent);
  }
  return last;
}

function raiseEpoch(database: DatabaseSync): number {
  return inTransaction(database, () => {
    const row = database.prepare("UPDATE meta SET value = value + 1 WHERE key = 'epoch' RETURNING value").get();
    return Number(row?.value);
  });
}

/** Runs `body` in one transaction, which is undone when it throws. */
export function inTransaction<T>(database: DatabaseSync, body: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = body();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    // SQLite may have undone it already, as it does when the disk is full.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
