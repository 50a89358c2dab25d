// Classifies what SQLite and the file system report, once, into the closed set of journal errors.

import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { JournalError, type JournalErrorKind, rebuildHint } from '@firetrident/journal';

/** A journal error in a form that crosses from a worker thread. */
export interface PlainError {
  readonly kind: JournalErrorKind;
  readonly message: string;
  readonly path: string;
  readonly hint: string;
}

/** SQLite's primary result codes, as in its documentation. */
const sqlite = {
  perm: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

const hints: Record<JournalErrorKind, string> = {
  full: 'Make room on the disk, then start again. Nothing that was acknowledged is lost.',
  'read-only': 'Make the directory writable for this user, or remount its file system for writing, then start again.',
  fenced: 'Stop this process; another one owns the journal now.',
  damaged: rebuildHint,
  locked: 'Stop the process that holds the journal, or use another directory.',
  'newer-format': 'Use the version that wrote this journal, or a later one.',
  closed: 'Open the journal again.',
  failed: 'Start again; if it fails again, check the disk and the system log.',
};

/** A journal error with the usual hint for its kind. */
export function journalError(kind: JournalErrorKind, message: string, path: string): JournalError {
  return new JournalError(kind, message, path, hints[kind]);
}

/** The journal error for whatever was thrown while working on the file `path`. */
export function classifyError(error: unknown, path: string): JournalError {
  if (error instanceof JournalError) return error;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  const kind = typeof errcode === 'number' ? kindOfSqlite(errcode & 0xff, path) : kindOfSystem(code);
  return journalError(kind, `${headline(kind)}: ${message ?? String(error)}.`, path);
}

/** The plain form of an error, to be sent from a worker. */
export function plainError(error: JournalError): PlainError {
  return { kind: error.kind, message: error.message, path: error.path, hint: error.hint };
}

/** The error of a plain form. */
export function revivedError({ kind, message, path, hint }: PlainError): JournalError {
  return new JournalError(kind, message, path, hint);
}

function headline(kind: JournalErrorKind): string {
  switch (kind) {
    case 'full':
      return 'There is no room left for the journal';
    case 'read-only':
      return 'The journal cannot be written';
    case 'damaged':
      return 'The journal is damaged';
    case 'locked':
      return 'Another program holds the journal';
    case 'fenced':
    case 'newer-format':
    case 'closed':
    case 'failed':
      return 'The journal failed';
  }
}

function kindOfSqlite(code: number, path: string): JournalErrorKind {
  switch (code) {
    case sqlite.full:
      return 'full';
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return 'damaged';
    case sqlite.busy:
    case sqlite.locked:
      return 'locked';
    case sqlite.perm:
    case sqlite.readOnly:
      return 'read-only';
    case sqlite.io:
    case sqlite.cannotOpen:
      // SQLite gives one code for many causes here, so the file system is asked.
      return kindOfPlace(dirname(path));
    default:
      return 'failed';
  }
}

function kindOfSystem(code: string | undefined): JournalErrorKind {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'full';
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'read-only';
    default:
      return 'failed';
  }
}

function kindOfPlace(directory: string): JournalErrorKind {
  try {
    accessSync(directory, constants.W_OK);
    const { bavail } = statfsSync(directory);
    return bavail === 0 ? 'full' : 'failed';
  } catch (error) {
    return kindOfSystem((error as { code?: string }).code);
  }
}
