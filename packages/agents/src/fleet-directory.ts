// The folder in which one fleet has its checkouts, so that fleets of one colony do not meet.
//
// Invariants:
//   FD1. Two fleets that run never share a folder: a folder carries the process id of its fleet, and changes its owner
//        by one rename, when the owner before has ended.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folderName = /^run-([0-9]+)(?:-[0-9]+)?$/;
let claimed = 0;

/** Makes a folder below `parent` for a fleet of this process, or takes over one whose process has ended, checkouts included. */
export function claimFleetDirectory(parent: string): string {
  mkdirSync(parent, { recursive: true });
  claimed += 1;
  const own = join(parent, `run-${process.pid}-${claimed}`);
  for (const name of readdirSync(parent)) {
    const [, owner] = folderName.exec(name) ?? [];
    if (owner === undefined || isAlive(Number(owner))) continue;
    try {
      renameSync(join(parent, name), own); // (FD1)
      return own;
    } catch (error) {
      // Another fleet that is just starting was faster.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  mkdirSync(own, { recursive: true });
  return own;
}

/** Gives the folder up: what holds no checkout goes away. */
export function releaseFleetDirectory(own: string): void {
  const checkouts = join(own, 'checkouts');
  if (!existsSync(checkouts) || readdirSync(checkouts).length === 0) rmSync(own, { recursive: true, force: true });
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
