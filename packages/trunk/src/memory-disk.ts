// A disk in memory: deterministic, nothing outlives the process.
//
// Files are inodes under names, so that a link shares content as on a real file system. Content is replaced as a
// whole and never changed in place, so what `read` returned stays what it was.

import { type Disk, DiskError, type DiskStep, doneWhenAwaited } from './disk.ts';

/** A file's content, shared by all its names. */
export interface Inode {
  bytes: Uint8Array;
}

function normalised(path: string): string {
  return path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
}

/** The folder of a disk path. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return '';
  return slash === 0 ? '/' : path.slice(0, slash);
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Disk port in memory (DK1 to DK5, all of it durable for as long as the object lives). */
export class MemoryDisk implements Disk {
  protected readonly files = new Map<string, Inode>();
  /** Names in each directory. */
  protected readonly directories = new Map<string, Set<string>>([
    ['', new Set()],
    ['/', new Set()],
  ]);

  read(path: string): Uint8Array | null {
    return this.files.get(normalised(path))?.bytes ?? null;
  }

  readRange(path: string, offset: number, length: number): Uint8Array | null {
    return this.read(path)?.subarray(offset, offset + length) ?? null;
  }

  readInto(path: string, offset: number, target: Uint8Array): number | null {
    const bytes = this.readRange(path, offset, target.length);
    if (bytes) target.set(bytes);
    return bytes?.length ?? null;
  }

  size(path: string): number | null {
    return this.read(path)?.length ?? null;
  }

  write(path: string, bytes: Uint8Array): void {
    const name = this.#writable('write', path);
    const inode = this.files.get(name);
    if (inode) inode.bytes = bytes.slice();
    else this.place(name, { bytes: bytes.slice() });
  }

  append(path: string, bytes: Uint8Array): void {
    const before = this.read(path) ?? new Uint8Array(0);
    const grown = new Uint8Array(before.length + bytes.length);
    grown.set(before);
    grown.set(bytes, before.length);
    MemoryDisk.prototype.write.call(this, path, grown);
  }

  createExclusive(path: string, bytes: Uint8Array): boolean {
    const name = this.#writable('createExclusive', path, true);
    if (this.#taken(name)) return false;
    this.place(name, { bytes: bytes.slice() });
    return true;
  }

  link(from: string, to: string): boolean {
    const inode = this.#existing('link', from);
    const name = this.#writable('link', to, true);
    if (this.#taken(name)) return false;
    this.place(name, inode);
    return true;
  }

  sync(path: string): void {
    this.#existing('sync', path);
  }

  syncDirectory(path: string): void {
    const name = normalised(path);
    if (!this.directories.has(name)) throw new DiskError('other', 'syncDirectory', path, 'no such directory');
  }

  syncAll(files: readonly string[], directories: readonly string[]): void {
    for (const path of files) this.sync(path);
    for (const path of directories) this.syncDirectory(path);
  }

  begin(steps: readonly DiskStep[]): () => void {
    return doneWhenAwaited(this, steps);
  }

  rename(from: string, to: string): void {
    const inode = this.#existing('rename', from);
    const target = this.#writable('rename', to);
    this.move(normalised(from), target, inode);
  }

  remove(path: string): void {
    const name = normalised(path);
    if (this.directories.has(name)) throw new DiskError('other', 'remove', path, 'is a directory');
    if (this.files.has(name)) this.place(name, null);
  }

  list(directory: string): string[] {
    return [...(this.directories.get(normalised(directory)) ?? [])].sort();
  }

  makeDirectory(path: string): void {
    const missing: string[] = [];
    let name = normalised(path);
    while (!this.directories.has(name)) {
      if (this.files.has(name)) throw new DiskError('other', 'makeDirectory', path, 'a file is in the way');
      missing.push(name);
      name = parentOf(name);
    }
    for (const directory of missing.reverse()) this.placeDirectory(directory);
  }

  /** Puts a file under a name, or takes the name away. */
  protected place(name: string, inode: Inode | null): void {
    if (inode) {
      this.files.set(name, inode);
      this.#namesBeside(name)?.add(lastSegment(name));
    } else {
      this.files.delete(name);
      this.#namesBeside(name)?.delete(lastSegment(name));
    }
  }

  /** Renames in one step. */
  protected move(from: string, to: string, inode: Inode): void {
    MemoryDisk.prototype.place.call(this, from, null);
    MemoryDisk.prototype.place.call(this, to, inode);
  }

  protected placeDirectory(name: string): void {
    this.directories.set(name, new Set());
    this.#namesBeside(name)?.add(lastSegment(name));
  }

  #namesBeside(name: string): Set<string> | undefined {
    return this.directories.get(parentOf(name));
  }

  #existing(operation: string, path: string): Inode {
    const inode = this.files.get(normalised(path));
    if (!inode) throw new DiskError('other', operation, path, 'no such file');
    return inode;
  }

  #taken(name: string): boolean {
    return this.files.has(name) || this.directories.has(name);
  }

  #writable(operation: string, path: string, mayBeTaken = false): string {
    const name = normalised(path);
    if (!this.directories.has(parentOf(name))) throw new DiskError('other', operation, path, 'no such directory');
    if (!mayBeTaken && this.directories.has(name)) throw new DiskError('other', operation, path, 'is a directory');
    return name;
  }
}
