// Putting a finished pack on disk so that it is durable before anything refers to it.
//
// Invariants:
//   PF1. Pack and index are synced under names of our own, then renamed, the pack first: no reader, ours or git's,
//        ever sees an index without its pack or a part of either.

import { type Disk, DiskError } from './disk.ts';

/**
 * Files of ours in the pack folder that are not complete. git's own clean-up knows the prefix "tmp_"; their names must
 * not end as those of packs do, since git takes every file that ends in ".idx" for one.
 */
const ownPrefix = 'tmp_firetrident_';

/** The parts of a pack that are written. */
export interface PackFiles {
  readonly packName: string;
  readonly pack: Uint8Array;
  readonly index: Uint8Array;
}

/**
 * Writes pack and index durably (PF1), and makes `others` durable with them. Answers the pack's path without ending.
 * Leaves nothing of the pack behind when it fails.
 */
export function writePackFiles(
  disk: Disk,
  packFolder: string,
  files: PackFiles,
  others: readonly string[] = [],
): string {
  const ownPack = `${packFolder}/${ownPrefix}pack_${files.packName}`;
  const ownIndex = `${packFolder}/${ownPrefix}idx_${files.packName}`;
  const path = `${packFolder}/pack-${files.packName}`;
  try {
    disk.write(ownPack, files.pack);
    disk.write(ownIndex, files.index);
    disk.syncAll([ownPack, ownIndex, ...others], []);
    disk.rename(ownPack, `${path}.pack`);
    disk.rename(ownIndex, `${path}.idx`);
    disk.syncDirectory(packFolder);
  } catch (error) {
    if (error instanceof DiskError) removeQuietly(disk, [ownPack, ownIndex]);
    throw error;
  }
  return path;
}

/** Takes away what an unfinished write left: files of ours, and the pack of `packName` if its index is missing. */
export function removeUnfinishedPacks(disk: Disk, packFolder: string, packName?: string): string[] {
  const names = disk.list(packFolder);
  const removed = names.filter((name) => name.startsWith(ownPrefix)).map((name) => `${packFolder}/${name}`);
  const named = packName === undefined ? null : `pack-${packName}`;
  if (named && names.includes(`${named}.pack`) && !names.includes(`${named}.idx`)) {
    removed.push(`${packFolder}/${named}.pack`);
  }
  for (const path of removed) disk.remove(path);
  return removed;
}

function removeQuietly(disk: Disk, paths: readonly string[]): void {
  for (const path of paths) {
    try {
      disk.remove(path);
    } catch (error) {
      // The disk is failing already; what stays is removed at the next start.
      if (!(error instanceof DiskError)) throw error;
    }
  }
}
