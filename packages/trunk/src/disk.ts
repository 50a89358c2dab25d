// The disk as the trunk sees it: files, directories, and what makes them durable. Synchronous, because a landing
// cycle is one straight line of work.
//
// It never knows git, nor which platform is below.
//
// Invariants that every implementation keeps (diskContract tests them):
//   DK1. What was written reads back at once; it survives a power cut only after sync of the file.
//   DK2. A name that was created, renamed or removed survives a power cut only after syncDirectory of its folder.
//   DK3. rename replaces the target in one step: a reader sees the old file or the new one, never a part.
//   DK4. createExclusive and link never replace: they answer false when the name is taken.
//   DK5. Failures are DiskErrors with a kind; absence is a value (null, false, an empty list), not an error.
//   DK6. syncAll is sync and syncDirectory of everything it is given, in any order or at the same time.
//   DK7. Steps that were begun are done in their order, the next ones only after success; a disk may have no `begin`.
//   DK8. A write among such steps never writes over what lies there: it takes that away and makes a file anew. Its bytes
//        stay as they are until the steps were waited for.

import { never } from '@firetrident/base';

/** Why an operation failed: no space, a read-only file system, no permission, or anything else. */
export type DiskErrorKind = 'full' | 'read-only' | 'denied' | 'other';

/** A disk operation failed for a reason that is not plain absence. */
export class DiskError extends Error {
  readonly kind: DiskErrorKind;
  readonly path: string;
  readonly operation: string;

  constructor(kind: DiskErrorKind, operation: string, path: string, detail: string) {
    super(`${operation} ${path}: ${detail}`);
    this.name = 'DiskError';
    this.kind = kind;
    this.path = path;
    this.operation = operation;
  }
}

/** A part of work that a disk does by itself. */
export type DiskStep =
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: 'sync'; readonly files: readonly string[]; readonly directories: readonly string[] }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string };

/** Does one step at once (DK8). Throws what the disk throws. */
export function performStep(disk: Disk, step: DiskStep): void {
  switch (step.kind) {
    case 'write':
      disk.remove(step.path);
      disk.write(step.path, step.bytes);
      return;
    case 'sync':
      disk.syncAll(step.files, step.directories);
      return;
    case 'rename':
      disk.rename(step.from, step.to);
      return;
    case 'remove':
      disk.remove(step.path);
      return;
    default:
      never(step);
  }
}

/** Steps that are done when they are waited for, and then once: the latest moment that the port allows (DK7). */
export function doneWhenAwaited(disk: Disk, steps: readonly DiskStep[]): () => void {
  let rest = steps;
  return () => {
    const due = rest;
    rest = [];
    for (const step of due) performStep(disk, step);
  };
}

/** Begins steps on any disk. One that cannot work by itself does them when they are waited for. */
export function beginSteps(disk: Disk, steps: readonly DiskStep[]): () => void {
  return disk.begin?.(steps) ?? doneWhenAwaited(disk, steps);
}

/** Port to a file system. Paths use "/" and are absolute or below the implementation's root. */
export interface Disk {
  /** The whole file, or null when there is none. */
  read(path: string): Uint8Array | null;
  /** Up to `length` bytes from `offset` (fewer at the end of the file), or null when there is no file. */
  readRange(path: string, offset: number, length: number): Uint8Array | null;
  /** Reads from `offset` on into `target`. The bytes that were there, fewer at the end of the file; null without a file. */
  readInto(path: string, offset: number, target: Uint8Array): number | null;
  /** Size in bytes, or null when there is no file. */
  size(path: string): number | null;
  /** Creates or replaces the file's content. Not durable before sync, and not atomic. */
  write(path: string, bytes: Uint8Array): void;
  /** Writes behind the file's content, or creates it. Not durable before sync, and not atomic. */
  append(path: string, bytes: Uint8Array): void;
  /** Creates the file with this content; false when the name is taken. Not durable before sync. */
  createExclusive(path: string, bytes: Uint8Array): boolean;
  /** Gives the file `from` a second name `to`; false when `to` is taken. The content appears there complete. */
  link(from: string, to: string): boolean;
  /** Makes the file's content durable. */
  sync(path: string): void;
  /** Makes the names in the directory durable. */
  syncDirectory(path: string): void;
  /** Makes files' contents and directories' names durable together, which is faster than one by one (DK6). */
  syncAll(files: readonly string[], directories: readonly string[]): void;
  /**
   * Begins steps that go on while the caller does (DK7). The answer waits for their end, and throws the DiskError at which
   * they stopped. Whoever began them waits before anything else is done to the same files.
   */
  begin?(steps: readonly DiskStep[]): () => void;
  /** Renames, replacing `to` in one step. */
  rename(from: string, to: string): void;
  /** Removes a file; one that is not there is fine. */
  remove(path: string): void;
  /** Names in the directory, files and directories alike, sorted by code unit; empty when it does not exist. */
  list(directory: string): string[];
  /** Creates the directory and its parents where they are missing. */
  makeDirectory(path: string): void;
}
