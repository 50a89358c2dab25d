// One owner per directory: a lock that the kernel holds, and a note beside it that says who the owner is.
// It never knows what the directory is for beyond a name, the purpose.
//
//   DL1. At most one process holds a lock. The kernel decides (a record lock on `<purpose>.lock`, taken through SQLite,
//        which does it on every platform), so it ends with its owner however that dies: there is no stale lock to
//        judge, no reused process id to be fooled by, and containers that share a directory exclude each other.
//   DL2. Of several starters at the same moment exactly one gets it; the others are refused.
//   DL3. The note `<purpose>.holder.json` only informs. One that is found when the lock was free is what an owner left
//        that ended without releasing: the shutdown before was not clean.
//   DL4. The lock file itself is never deleted: a starter may be waiting on the very file that is taken away.
//        Within the owning process nothing else may open it, for closing it would drop the record lock.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { no, ok, type Result } from '@firetrident/base';

/** Who holds a lock. */
export interface LockHolder {
  readonly processId: number;
  readonly host: string;
  /** When the lock was taken: ISO 8601, UTC. */
  readonly since: string;
}

/** A lock that we hold. */
export interface DirectoryLock {
  /** The owner before us that ended without releasing (DL3). */
  readonly abandonedBy: LockHolder | null;
  /** Lets go. Releasing again changes nothing. */
  release(): void;
}

/** Why the lock was not given. */
export interface LockRefusal {
  /** The lock file. */
  readonly path: string;
  /** Null in the moment before an owner has written its note. */
  readonly holder: LockHolder | null;
  /** One sentence for a person. */
  readonly message: string;
}

const busyCode = 5;

/**
 * Takes the lock for `purpose` (letters and hyphens; it names the files) on an existing directory. Never waits.
 * Throws the platform's error when the directory is missing or cannot be written.
 */
export function acquireDirectoryLock(
  directory: string,
  options: { readonly purpose: string },
): Result<DirectoryLock, LockRefusal> {
  const path = join(directory, `${options.purpose}.lock`);
  const note = join(directory, `${options.purpose}.holder.json`);
  const lock = takeRecordLock(path);
  if (lock === null) return no(refusalOf(path, readHolder(note), options.purpose));
  try {
    const abandonedBy = readHolder(note);
    writeHolder(note);
    return ok({ abandonedBy, release: () => releaseLock(lock, note) });
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Takes the record lock (DL1), or answers null when another holds it. */
function takeRecordLock(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // The lock of a writer excludes other writers and, unlike the exclusive one, cannot be missed by two at once (DL2).
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN IMMEDIATE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === busyCode) return null;
    throw error;
  }
}

/** Lets the kernel's lock go, but leaves its file (DL4). */
function releaseLock(lock: DatabaseSync, note: string): void {
  if (!lock.isOpen) return;
  // Another owner's note is not ours to remove; it is there when a person deleted the lock file under us.
  if (readHolder(note)?.processId === process.pid) rmSync(note, { force: true });
  lock.close();
}

function writeHolder(note: string): void {
  const holder: LockHolder = { processId: process.pid, host: hostname(), since: new Date().toISOString() };
  const draft = `${note}.draft`;
  writeFileSync(draft, JSON.stringify(holder));
  renameSync(draft, note);
}

/** The holder of the lock for `purpose`, or the one that ended without releasing it; null when there is no note. */
export function readLockHolder(directory: string, options: { readonly purpose: string }): LockHolder | null {
  return readHolder(join(directory, `${options.purpose}.holder.json`));
}

/** The holder that a note names, or null when there is none that can be read. */
function readHolder(note: string): LockHolder | null {
  try {
    const { processId, host, since } = JSON.parse(readFileSync(note, 'utf8')) as Partial<LockHolder>;
    if (typeof processId !== 'number' || typeof host !== 'string' || typeof since !== 'string') return null;
    return { processId, host, since };
  } catch {
    // Missing, or written by something else: the note only informs (DL3).
    return null;
  }
}

function refusalOf(path: string, holder: LockHolder | null, purpose: string): LockRefusal {
  const who =
    holder === null
      ? 'a process that is just starting'
      : `process ${holder.processId} on ${holder.host} since ${holder.since}`;
  return { path, holder, message: `The ${purpose} is held by ${who}.` };
}
