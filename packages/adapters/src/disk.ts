// The Disk port on Node's file system.
//
// It never knows what the files mean. Errors of the system become DiskErrors by their code, here and nowhere else.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { never } from '@firetrident/base';
import { type Disk, DiskError, type DiskErrorKind, type DiskStep, performStep } from '@firetrident/trunk';
import { DiskThread, type StepWait } from './disk-thread.ts';

const kindOfCode: Readonly<Record<string, DiskErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  EACCES: 'denied',
  EPERM: 'denied',
};

/** Bytes that one request hands to the thread beside; what would be more is written where it is. */
const handedOverBytesMax = 32_768;

/** One for all disks of a thread. */
const diskThread = new DiskThread();

function awaited(wait: StepWait): void {
  const failure = wait();
  if (!failure) return;
  throw new DiskError(kindOfCode[failure.code] ?? 'other', failure.operation, failure.path, failure.code);
}

function codeOf(error: unknown): string {
  // Only errors of the system carry a number: a wrong argument is a mistake in this program.
  const code = error instanceof Error && 'errno' in error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') throw error;
  return code;
}

function isAbsence(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function classified(error: unknown, operation: string, path: string): DiskError {
  const code = codeOf(error);
  return new DiskError(kindOfCode[code] ?? 'other', operation, path, code);
}

/** Reads until the target is full or the file ends. */
function filled(descriptor: number, offset: number, target: Uint8Array): number {
  let done = 0;
  while (done < target.length) {
    const count = readSync(descriptor, target, done, target.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Disk port over the directory `root`; without it paths are taken as they are. */
export class NodeDisk implements Disk {
  readonly #prefix: string;

  constructor(root?: string) {
    this.#prefix = root === undefined ? '' : `${root}/`;
  }

  read(path: string): Uint8Array | null {
    return this.#readAt(path, 'read', 0, Number.POSITIVE_INFINITY);
  }

  readRange(path: string, offset: number, length: number): Uint8Array | null {
    return this.#readAt(path, 'readRange', offset, length);
  }

  readInto(path: string, offset: number, target: Uint8Array): number | null {
    return this.#opened(path, 'readInto', (descriptor) => filled(descriptor, offset, target));
  }

  size(path: string): number | null {
    return this.#orNull('size', path, () => {
      const found = statSync(this.#prefix + path);
      return found.isFile() ? found.size : null;
    });
  }

  write(path: string, bytes: Uint8Array): void {
    this.#do('write', path, () => this.#writeTo(path, 'w', bytes));
  }

  append(path: string, bytes: Uint8Array): void {
    this.#do('append', path, () => this.#writeTo(path, 'a', bytes));
  }

  createExclusive(path: string, bytes: Uint8Array): boolean {
    return this.#unlessTaken('createExclusive', path, () => this.#writeTo(path, 'wx', bytes));
  }

  link(from: string, to: string): boolean {
    return this.#unlessTaken('link', to, () => linkSync(this.#prefix + from, this.#prefix + to));
  }

  sync(path: string): void {
    this.#do('sync', path, () => this.#fsync(path));
  }

  syncDirectory(path: string): void {
    this.#do('syncDirectory', path, () => this.#fsync(path));
  }

  syncAll(files: readonly string[], directories: readonly string[]): void {
    const paths = [...files, ...directories];
    const own = paths.pop();
    if (own === undefined) return;
    // The thread beside takes all but one.
    const others = paths.length > 0 ? this.#beginAside([{ kind: 'sync', files: paths, directories: [] }]) : null;
    try {
      this.sync(own);
    } finally {
      others?.();
    }
  }

  begin(steps: readonly DiskStep[]): () => void {
    diskThread.settle();
    // Writing much is little more than copying it, and copying it into another thread would be no less.
    let room = handedOverBytesMax;
    const much = steps.findLastIndex((step) => {
      if (step.kind === 'write') room -= step.bytes.length;
      return room < 0;
    });
    try {
      for (const step of steps.slice(0, much + 1)) performStep(this, step);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return () => {
        throw error;
      };
    }
    return this.#beginAside(steps.slice(much + 1));
  }

  #beginAside(steps: readonly DiskStep[]): () => void {
    const placed = (path: string): string => this.#prefix + path;
    const wait = diskThread.begin(
      steps.map((step): DiskStep => {
        switch (step.kind) {
          case 'write':
            return { kind: 'write', path: placed(step.path), bytes: step.bytes };
          case 'sync':
            return { kind: 'sync', files: step.files.map(placed), directories: step.directories.map(placed) };
          case 'rename':
            return { kind: 'rename', from: placed(step.from), to: placed(step.to) };
          case 'remove':
            return { kind: 'remove', path: placed(step.path) };
          default:
            return never(step);
        }
      }),
    );
    return () => awaited(wait);
  }

  rename(from: string, to: string): void {
    this.#do('rename', to, () => renameSync(this.#prefix + from, this.#prefix + to));
  }

  remove(path: string): void {
    this.#orNull('remove', path, () => unlinkSync(this.#prefix + path));
  }

  list(directory: string): string[] {
    return this.#orNull('list', directory, () => readdirSync(this.#prefix + directory).sort()) ?? [];
  }

  makeDirectory(path: string): void {
    this.#do('makeDirectory', path, () => mkdirSync(this.#prefix + path, { recursive: true }));
  }

  #readAt(path: string, operation: string, offset: number, length: number): Uint8Array | null {
    return this.#opened(path, operation, (descriptor, size) => {
      const bytes = new Uint8Array(Math.min(length, Math.max(0, size - offset)));
      const done = filled(descriptor, offset, bytes);
      return done === bytes.length ? bytes : bytes.subarray(0, done);
    });
  }

  /** Null for what is not there, or is a directory. */
  #opened<T>(path: string, operation: string, action: (descriptor: number, size: number) => T): T | null {
    return this.#orNull(operation, path, () => {
      const descriptor = openSync(this.#prefix + path, 'r');
      try {
        const found = fstatSync(descriptor);
        return found.isDirectory() ? null : action(descriptor, found.size);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  #writeTo(path: string, flags: 'w' | 'wx' | 'a', bytes: Uint8Array): void {
    const descriptor = openSync(this.#prefix + path, flags, 0o644);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done);
    } finally {
      closeSync(descriptor);
    }
  }

  #fsync(path: string): void {
    const descriptor = openSync(this.#prefix + path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  #do(operation: string, path: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      throw classified(error, operation, path);
    }
  }

  #orNull<T>(operation: string, path: string, action: () => T | null): T | null {
    try {
      return action();
    } catch (error) {
      if (isAbsence(codeOf(error))) return null;
      throw classified(error, operation, path);
    }
  }

  #unlessTaken(operation: string, path: string, action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw classified(error, operation, path);
    }
  }
}
