// A disk in memory that forgets at a power cut what was not synced, and fails on demand.
//
// It is stricter than any real file system: every name that was created, linked, renamed or removed since the last
// sync of its folder is kept or lost on its own, and unsynced content comes back as any mixture of old and new.
// A rename is kept or lost as one (DK3).
//
// Invariants:
//   FD1. What was synced, file and name, survives every cut.
//   FD2. The same seed after the same operations gives the same survivor.

import type { RandomStream } from '@firetrident/base';
import { DiskError, type DiskErrorKind } from './disk.ts';
import { type Inode, MemoryDisk, parentOf } from './memory-disk.ts';

/** Thrown at the operation where the power goes, and at every one after it. */
export class PowerCut extends Error {
  constructor(operation: string, path: string) {
    super(`power cut at ${operation} ${path}`);
    this.name = 'PowerCut';
  }
}

interface NameChange {
  /** Folders whose sync makes the change durable. */
  readonly folders: readonly string[];
  readonly apply: (files: Map<string, Inode>, directories: Set<string>) => void;
}

interface Fault {
  readonly from: number;
  readonly until: number;
  readonly kind: DiskErrorKind;
}

/** A MemoryDisk with power cuts and injected errors. Only operations that change or sync something count. */
export class FaultyDisk extends MemoryDisk {
  /** How many counted operations have begun. */
  operations = 0;
  #cutAt = Number.POSITIVE_INFINITY;
  #faults: Fault[] = [];
  #pending: NameChange[] = [];
  #durableFiles = new Map<string, Inode>();
  #durableDirectories = new Set<string>(['', '/']);
  #syncedBytes = new Map<Inode, Uint8Array>();

  /** The power goes when the counted operation with this number (from 1) begins. */
  cutPowerAt(operation: number): void {
    this.#cutAt = operation;
  }

  /** Counted operations from the given number on fail with `kind`, `count` of them. */
  failFrom(operation: number, kind: DiskErrorKind, count = 1): void {
    this.#faults.push({ from: operation, until: operation + count, kind });
  }

  /** Ends all injected errors. */
  heal(): void {
    this.#faults = [];
  }

  /** What the disk holds after a power cut now (FD1, FD2): a disk of its own, on which everything is durable. */
  afterPowerCut(random: RandomStream): FaultyDisk {
    const files = new Map(this.#durableFiles);
    const directories = new Set(this.#durableDirectories);
    for (const change of this.#pending) if (random.next() < 0.5) change.apply(files, directories);
    const survivor = new FaultyDisk();
    // A folder comes after the one it lies in, and is lost with it.
    for (const directory of [...directories].sort()) {
      if (directory === '' || directory === '/') continue;
      if (survivor.directories.has(parentOf(directory))) survivor.#restoreDirectory(directory);
    }
    const copies = new Map<Inode, Inode>();
    for (const [name, inode] of files) {
      if (!survivor.directories.has(parentOf(name))) continue;
      const copy = copies.get(inode) ?? { bytes: survivingBytes(this.#syncedBytes.get(inode), inode.bytes, random) };
      copies.set(inode, copy);
      survivor.#restoreFile(name, copy);
    }
    return survivor;
  }

  override write(path: string, bytes: Uint8Array): void {
    this.#step('write', path, () => super.write(path, bytes.subarray(0, bytes.length >> 1)));
    super.write(path, bytes);
  }

  override append(path: string, bytes: Uint8Array): void {
    this.#step('append', path, () => super.append(path, bytes.subarray(0, bytes.length >> 1)));
    super.append(path, bytes);
  }

  override createExclusive(path: string, bytes: Uint8Array): boolean {
    this.#step('createExclusive', path);
    return super.createExclusive(path, bytes);
  }

  override link(from: string, to: string): boolean {
    this.#step('link', to);
    return super.link(from, to);
  }

  override sync(path: string): void {
    this.#step('sync', path);
    super.sync(path);
    const inode = this.files.get(path);
    if (inode) this.#syncedBytes.set(inode, inode.bytes);
  }

  override syncDirectory(path: string): void {
    this.#step('syncDirectory', path);
    super.syncDirectory(path);
    const due = this.#pending.filter((change) => change.folders.includes(path));
    for (const change of due) change.apply(this.#durableFiles, this.#durableDirectories);
    this.#pending = this.#pending.filter((change) => !change.folders.includes(path));
  }

  override rename(from: string, to: string): void {
    this.#step('rename', to);
    super.rename(from, to);
  }

  override remove(path: string): void {
    this.#step('remove', path);
    super.remove(path);
  }

  override makeDirectory(path: string): void {
    this.#step('makeDirectory', path);
    super.makeDirectory(path);
  }

  protected override place(name: string, inode: Inode | null): void {
    super.place(name, inode);
    this.#pending.push({
      folders: [parentOf(name)],
      apply: (files) => (inode ? files.set(name, inode) : files.delete(name)),
    });
  }

  protected override move(from: string, to: string, inode: Inode): void {
    super.move(from, to, inode);
    this.#pending.push({
      folders: [parentOf(from), parentOf(to)],
      apply: (files) => {
        files.delete(from);
        files.set(to, inode);
      },
    });
  }

  protected override placeDirectory(name: string): void {
    super.placeDirectory(name);
    this.#pending.push({ folders: [parentOf(name)], apply: (_, directories) => directories.add(name) });
  }

  #step(operation: string, path: string, partly?: () => void): void {
    this.operations += 1;
    if (this.operations >= this.#cutAt) {
      if (this.operations === this.#cutAt) partly?.();
      throw new PowerCut(operation, path);
    }
    const fault = this.#faults.find(({ from, until }) => this.operations >= from && this.operations < until);
    if (!fault) return;
    if (fault.kind === 'full') partly?.();
    throw new DiskError(fault.kind, operation, path, 'injected');
  }

  #restoreDirectory(name: string): void {
    super.placeDirectory(name);
    this.#durableDirectories.add(name);
  }

  #restoreFile(name: string, inode: Inode): void {
    super.place(name, inode);
    this.#durableFiles.set(name, inode);
    this.#syncedBytes.set(inode, inode.bytes);
  }
}

/** One of the contents that a file may have after a cut. */
function survivingBytes(synced: Uint8Array | undefined, current: Uint8Array, random: RandomStream): Uint8Array {
  if (synced === current) return current;
  const before = synced ?? new Uint8Array(0);
  const kept = random.below(current.length + 1);
  switch (random.below(5)) {
    case 0:
      return before;
    case 1:
      return current;
    case 2:
      return current.slice(0, kept);
    case 3: {
      const zeroed = new Uint8Array(current.length);
      zeroed.set(current.subarray(0, kept));
      return zeroed;
    }
    default: {
      const mixed = before.slice(0, Math.max(before.length, kept));
      const torn = new Uint8Array(Math.max(mixed.length, kept));
      torn.set(mixed);
      torn.set(current.subarray(0, kept));
      return torn;
    }
  }
}
