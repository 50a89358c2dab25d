// What lies in a data directory, for those who look at it without a daemon.

import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type LockHolder, readLockHolder } from '@firetrident/adapters';

/** A data directory from outside. */
export interface DataDirectoryFacts {
  /** The daemon that holds it, or one that ended without letting go; null when neither is known. */
  readonly holder: LockHolder | null;
  /** Whether the holder may still be at work: its process lives, or it is on another machine. */
  readonly held: boolean;
  readonly colonies: readonly { readonly id: string; readonly repository: string }[];
}

/** Looks at an existing data directory. Takes no lock and changes nothing. */
export function describeData(data: string): DataDirectoryFacts {
  const root = join(data, 'colonies');
  const names = existsSync(root) ? readdirSync(root).sort() : [];
  const colonies = names
    .map((id) => ({ id, repository: join(root, id, 'trunk.git') }))
    .filter(({ id, repository }) => !id.startsWith('.') && existsSync(repository));
  const holder = readLockHolder(data, { purpose: 'data-directory' });
  return { holder, held: holder !== null && (holder.host !== hostname() || isAlive(holder.processId)), colonies };
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
