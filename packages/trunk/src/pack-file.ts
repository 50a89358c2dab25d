// Putting a finished pack on disk so that it is durable before anything refers to it.
//
// Invariants:
//   PF1. Pack and index are synced under names of our own, then renamed, the pack first: no reader, ours or git's,
//        ever sees an index without its pack or a part of either.
//   PF2. A pack that others replace goes the other way round, after they are durable: its index first, which keeps a
//        name of ours until the pack is gone, so that whatever a kill leaves is taken away at the next start.

import { beginSteps, type Disk, DiskError, type DiskStep } from './disk.ts';
import { parentOf } from './memory-disk.ts';

/**
 * Files of ours in the pack folder that are not complete. git's own clean-up knows the prefix "tmp_"; their names must
 * not end as those of packs do, since git takes every file that ends in ".idx" for one.
 */
const ownPrefix = 'tmp_firetrident_';
const ownIndexPrefix = `${ownPrefix}idx_`;
/** What git's files in the pack folder begin with that are not complete. */
const gitPrefixes = ['tmp_', '.tmp-'];

/** The parts of a pack that are written. */
export interface PackFiles {
  readonly packName: string;
  readonly pack: Uint8Array;
  readonly index: Uint8Array;
}

interface PackPlace {
  /** Path of the finished pack without ending. */
  readonly path: string;
  readonly ownPack: string;
  readonly ownIndex: string;
}

function placeOf(packFolder: string, packName: string): PackPlace {
  return {
    path: `${packFolder}/pack-${packName}`,
    ownPack: `${packFolder}/${ownPrefix}pack_${packName}`,
    ownIndex: `${packFolder}/${ownIndexPrefix}${packName}`,
  };
}

/** A small file that becomes durable with a pack. */
export interface BesideFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** All that makes a pack durable and visible, in its order (PF1), with `others` written and made durable beside it. */
function stepsOf({ path, ownPack, ownIndex }: PackPlace, files: PackFiles, others: readonly BesideFile[]): DiskStep[] {
  const paths = [ownPack, ownIndex, ...others.map((other) => other.path)];
  return [
    { kind: 'write', path: ownPack, bytes: files.pack },
    { kind: 'write', path: ownIndex, bytes: files.index },
    ...others.map((other): DiskStep => ({ kind: 'write', path: other.path, bytes: other.content })),
    { kind: 'sync', files: paths, directories: [] },
    { kind: 'rename', from: ownPack, to: `${path}.pack` },
    { kind: 'rename', from: ownIndex, to: `${path}.idx` },
    { kind: 'sync', files: [], directories: [parentOf(path)] },
  ];
}

/**
 * Begins to write pack and index durably (PF1), and `others` with them. The answer waits for the end and gives the pack's
 * path without ending; nothing of the pack is left behind when it fails. The bytes stay as they are until then.
 */
export function beginPackFiles(
  disk: Disk,
  packFolder: string,
  files: PackFiles,
  others: readonly BesideFile[] = [],
): () => string {
  const place = placeOf(packFolder, files.packName);
  const finish = beginSteps(disk, stepsOf(place, files, others));
  return () => {
    try {
      finish();
      return place.path;
    } catch (error) {
      if (error instanceof DiskError) removeQuietly(disk, [place.ownPack, place.ownIndex]);
      throw error;
    }
  };
}

/** Where a pack that is written bit by bit lies until its name is known. One at a time. */
export function unnamedPackPath(packFolder: string): string {
  return `${packFolder}/${ownPrefix}joined_pack`;
}

/** Gives the pack at `unnamedPackPath`, which is durable, its name and an index, durably (PF1). */
export function nameWrittenPack(disk: Disk, packFolder: string, packName: string, index: Uint8Array): void {
  const { path, ownIndex } = placeOf(packFolder, packName);
  disk.write(ownIndex, index);
  disk.sync(ownIndex);
  disk.rename(unnamedPackPath(packFolder), `${path}.pack`);
  disk.rename(ownIndex, `${path}.idx`);
  disk.syncDirectory(packFolder);
}

/** Takes away packs whose objects are durable in others (PF2). */
export function retirePacks(disk: Disk, packFolder: string, packNames: readonly string[]): void {
  const places = packNames.map((packName) => placeOf(packFolder, packName));
  for (const { path, ownIndex } of places) disk.rename(`${path}.idx`, ownIndex);
  disk.syncDirectory(packFolder);
  for (const { path } of places) disk.remove(`${path}.pack`);
  for (const { ownIndex } of places) disk.remove(ownIndex);
}

/** Takes away a pack that was begun and is not wanted. */
export function removePack(disk: Disk, packFolder: string, packName: string): void {
  const { path, ownPack, ownIndex } = placeOf(packFolder, packName);
  removeQuietly(disk, [`${path}.idx`, `${path}.pack`, ownPack, ownIndex]);
}

/**
 * Takes away what an unfinished write left: files of ours, packs whose index is missing, if they are named by `packName`
 * or their index still lies there under our own name, and indexes whose pack a power cut took.
 */
export function removeUnfinishedPacks(disk: Disk, packFolder: string, packName?: string): string[] {
  const names = new Set(disk.list(packFolder));
  const own = [...names].filter((name) => name.startsWith(ownPrefix));
  const begun = own.filter((name) => name.startsWith(ownIndexPrefix)).map((name) => name.slice(ownIndexPrefix.length));
  const unfinished = [...new Set(packName === undefined ? begun : [...begun, packName])]
    .filter((name) => names.has(`pack-${name}.pack`) && !names.has(`pack-${name}.idx`))
    .map((name) => `pack-${name}.pack`);
  const orphans = [...names].filter((name) => /^pack-.*\.idx$/.test(name) && !names.has(name.replace(/idx$/, 'pack')));
  // The packs first: should this be cut off, the index under our own name still tells what its pack is.
  const removed = [...unfinished, ...orphans, ...own].map((name) => `${packFolder}/${name}`);
  for (const path of removed) disk.remove(path);
  return removed;
}

/**
 * Takes away packs that a git which was ended had half written, and which may be as large as the whole repository. No git
 * may be writing there.
 */
export function removeUnfinishedOfGit(disk: Disk, packFolder: string): string[] {
  const names = disk.list(packFolder).filter((name) => gitPrefixes.some((prefix) => name.startsWith(prefix)));
  const removed = names.map((name) => `${packFolder}/${name}`);
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
