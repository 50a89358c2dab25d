// Failures of the place where data lies, as what a caller or an operator reads.
//
//   SQ1. What a full, read-only or unreadable disk causes is told by name, with what to do; everything else stays the
//        unexpected error that it is.

import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageFailureError } from '@firetrident/engine';
import { JournalError } from '@firetrident/journal';
import { DiskError, TrunkError } from '@firetrident/trunk';

/** A failure of storage: what happened, and what to do about it. */
export interface StorageTrouble {
  readonly code: 'storage_unavailable';
  readonly problem: string;
  readonly hint: string;
}

const fullHint = 'Make room on its file system.';
const readOnlyHint = 'Make it writable for the user of the daemon, or remount its file system for writing.';
/** What stock git says when the disk is at fault. */
const gitSays = /no space left on device|disk quota exceeded|read-only file system/i;

function trouble(problem: string, hint: string): StorageTrouble {
  return { code: 'storage_unavailable', problem, hint };
}

/** The trouble behind an error (SQ1); null when storage is not to blame. */
export function storageTrouble(error: unknown): StorageTrouble | null {
  if (error instanceof StorageFailureError || error instanceof JournalError) return trouble(error.message, error.hint);
  if (error instanceof DiskError) {
    const hint = error.kind === 'full' ? fullHint : readOnlyHint;
    return trouble(`${error.operation} ${error.path}: ${error.kind}`, hint);
  }
  if (error instanceof TrunkError) return gitSays.test(error.message) ? trouble(error.message, fullHint) : null;
  return systemTrouble(error);
}

/**
 * The trouble of a directory, made or still to be made, that SQLite or the system refused; null when nothing is wrong
 * with the place.
 */
export function placeTrouble(directory: string): StorageTrouble | null {
  let place = directory;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    accessSync(place, constants.W_OK);
    return statfsSync(place).bavail === 0 ? trouble('there is no room left', fullHint) : null;
  } catch (error) {
    return systemTrouble(error);
  }
}

function systemTrouble(error: unknown): StorageTrouble | null {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return trouble('there is no room left', fullHint);
    case 'EROFS':
      return trouble('its file system is read-only', readOnlyHint);
    case 'EACCES':
    case 'EPERM':
      return trouble('it may not be written by this user', readOnlyHint);
    default:
      return null;
  }
}
