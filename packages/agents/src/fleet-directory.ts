// The folder in which one fleet has its checkouts, so that fleets of one colony do not meet.
//
// Invariants:
//   FD1. Two fleets that run never share a folder: a folder carries the process id of its fleet, and changes its owner
//        by one rename, when the owner before has ended.
//   FD2. A folder says which agents its fleet registered, from before they work until they are stopped.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folderName = /^run-([0-9]+)(?:-[0-9]+)?$/;
let claimed = 0;

/** A folder of this process. */
export interface FleetDirectory {
  readonly path: string;
}

/** The agents that a fleet registered, in which life of the colony. */
export interface RegisteredAgents {
  readonly colonyCreatedAt: string | null;
  readonly agents: readonly string[];
}

/** Makes a folder below `parent` for a fleet of this process. */
export function makeFleetDirectory(parent: string): FleetDirectory {
  const path = nextPath(parent);
  mkdirSync(path, { recursive: true });
  return { path };
}

/** Takes over every folder below `parent` whose process has ended, with the checkouts in it. */
export function takeOverFleetDirectories(parent: string): FleetDirectory[] {
  if (!existsSync(parent)) return [];
  const taken: FleetDirectory[] = [];
  for (const name of readdirSync(parent)) {
    const [, owner] = folderName.exec(name) ?? [];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const path = nextPath(parent);
    try {
      renameSync(join(parent, name), path); // (FD1)
      taken.push({ path });
    } catch (error) {
      // Another fleet that is just starting was faster.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return taken;
}

function nextPath(parent: string): string {
  claimed += 1;
  return join(parent, `run-${process.pid}-${claimed}`);
}

/** Where a checkout of a fleet lies, and the git directory that looks after it. */
export function placesOf(
  { path }: FleetDirectory,
  name: string,
): { readonly directory: string; readonly desk: string } {
  return { directory: join(path, 'checkouts', name), desk: join(path, 'desks', name) };
}

/** Names of the checkouts in a folder. */
export function checkoutsIn({ path }: FleetDirectory): string[] {
  const folder = join(path, 'checkouts');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Writes down who was registered (FD2). */
export function noteAgents({ path }: FleetDirectory, registered: RegisteredAgents): void {
  const file = join(path, 'agents.json');
  writeFileSync(`${file}.draft`, JSON.stringify(registered));
  renameSync(`${file}.draft`, file);
}

/** Who was registered and has not been stopped, as far as the folder knows. */
export function notedAgents({ path }: FleetDirectory): RegisteredAgents | null {
  const file = join(path, 'agents.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RegisteredAgents) : null;
}

/** All agents are stopped: the folder stays for the checkouts in it, or goes away when there is none. */
export function releaseFleetDirectory(directory: FleetDirectory): void {
  rmSync(join(directory.path, 'agents.json'), { force: true });
  if (checkoutsIn(directory).length === 0) rmSync(directory.path, { recursive: true, force: true });
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
