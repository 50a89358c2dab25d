// Consolidating packs and writing the commit graph, by stock git, while landing goes on.
//
// Invariants:
//   MT1. Only commands that keep every object are run: geometric repacking takes over all objects of the packs that it
//        replaces, also those that no ref reaches yet (a cycle between pack and ref) or only our own refs do. Never
//        repack -a, gc or prune.
//   MT2. A pack that is written while git works is not in git's list and so stays untouched.

import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import type { GitRunner } from './git-runner.ts';

/** Packs that reading objects still does not mind. */
const packsMaxDefault = 200;

/** When to consolidate. */
export interface MaintenanceOptions {
  /** Consolidates when there are more packs than this. Default: 200. */
  readonly packsMax?: number;
}

/** What maintenance did. */
export interface MaintenanceReport {
  readonly packsBefore: number;
  readonly packsAfter: number;
  /** False when there were too few packs to bother. */
  readonly repacked: boolean;
}

/** Packs of the repository itself, not of those that it borrows from. */
export function packCount(disk: Disk, directory: string): number {
  return disk.list(`${directory}/objects/pack`).filter((name) => name.startsWith('pack-') && name.endsWith('.idx'))
    .length;
}

/** Consolidates when there are many packs (MT1, MT2). Throws TrunkError `git-failed`. */
export async function maintain(
  git: GitRunner,
  disk: Disk,
  directory: string,
  options: MaintenanceOptions,
): Promise<MaintenanceReport> {
  const packsBefore = packCount(disk, directory);
  if (packsBefore <= (options.packsMax ?? packsMaxDefault))
    return { packsBefore, packsAfter: packsBefore, repacked: false };
  await must(git, directory, ['repack', '-q', '--geometric=2', '-d', '--write-midx']);
  await must(git, directory, ['commit-graph', 'write', '--reachable', '--no-progress']);
  return { packsBefore, packsAfter: packCount(disk, directory), repacked: true };
}

async function must(git: GitRunner, directory: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await git.run(['--git-dir', directory, ...args]);
  if (code !== 0) throw new TrunkError('git-failed', `git ${args[0]} failed with status ${code}: ${stderr.trim()}`);
}
