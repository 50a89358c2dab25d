// Refs in git's files backend: one small file per ref, or a line of packed-refs; moved by lock file.
//
// It never knows what a ref is for.
//
// Invariants:
//   RF1. A ref moves only while its lock file is ours and only from the expected value: stock git and we exclude
//        each other.
//   RF2. A lock file appears complete and durable: it is a second name of a staged file that was synced before. So a
//        lock left by a kill is recognised by its content, and no ref is ever empty or torn.
//   RF3. A move counts as durable only after `settle`.
//   RF4. A lock that was given back stays away after a power cut: nobody could tell any more whose it was.

import { assert, isOid, type Oid, utf8, utf8Text } from '@firetrident/base';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import { parentOf } from './memory-disk.ts';
import type { RefOutcome } from './model.ts';
import { listPackedRefs, readPackedRef, withoutPackedRef } from './packed-refs.ts';

/** Symbolic refs followed before it is called a loop, as in git. */
const symbolicDepthMax = 5;
/** Staged files are named after the ref and its new value. */
const stagedPrefix = 'ref-';
const stagedPattern = /^ref-(.+)\.[0-9a-f]{40}$/;
const validName = /^refs\/[A-Za-z0-9_+=@.\-/]+$/;

/** A new value of a ref, durable under a name of ours and not yet visible. */
export interface StagedRef {
  readonly ref: string;
  readonly value: Oid;
  readonly path: string;
  readonly content: Uint8Array;
}

/** The refs of one repository. */
export class RefStore {
  readonly #disk: Disk;
  readonly #directory: string;
  /** Folder of our own inside the repository, for staged files. */
  readonly #ownFolder: string;
  readonly #ensured = new Set<string>();

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
    this.#ownFolder = `${directory}/firetrident`;
  }

  /** The object that a ref names, or null. Throws `corrupt` when the file is not what git would write. */
  read(ref: string, depth = 0): Oid | null {
    const bytes = this.#disk.read(`${this.#directory}/${ref}`);
    if (!bytes) return readPackedRef(this.#packed(), ref);
    const text = utf8Text(bytes).trimEnd();
    if (text.startsWith('ref: ') && depth < symbolicDepthMax) return this.read(text.slice(5).trim(), depth + 1);
    if (isOid(text)) return text;
    throw new TrunkError('corrupt', `${ref} does not name an object`);
  }

  /** The ref that a symbolic ref names, or null when it is none. */
  readSymbolic(ref: string): string | null {
    const bytes = this.#disk.read(`${this.#directory}/${ref}`);
    const text = bytes ? utf8Text(bytes).trimEnd() : '';
    return text.startsWith('ref: ') ? text.slice(5).trim() : null;
  }

  /** Refs below a prefix that ends in "/", sorted by name. */
  list(prefix: string): { readonly name: string; readonly oid: Oid }[] {
    const names = new Set(listPackedRefs(this.#packed(), prefix));
    this.#collectLoose(prefix.slice(0, -1), names);
    const found: { name: string; oid: Oid }[] = [];
    for (const name of [...names].sort()) {
      const oid = this.read(name);
      if (oid !== null) found.push({ name, oid });
    }
    return found;
  }

  /** Moves, creates (expected null) or deletes (value null) a ref, durably. */
  compareAndSwap(ref: string, expected: Oid | null, value: Oid | null): RefOutcome {
    if (value === null) return this.#delete(ref, expected);
    const staged = this.#stageAnew(ref, value);
    const outcome = this.lock(staged, expected);
    if (outcome.kind === 'done') {
      this.move(staged);
      this.settle([staged]);
    }
    this.discard([staged]);
    return outcome;
  }

  /**
   * Stages durably, after an attempt that may have failed. Such an attempt keeps its staged file, which tells that the
   * lock it may have left is ours (RF2).
   */
  #stageAnew(ref: string, value: Oid): StagedRef {
    this.removeLeftovers(ref);
    const staged = this.stage(ref, value);
    this.sync([staged]);
    return staged;
  }

  /** Writes the new value under a name of our own. It has to be synced before it is locked (RF2). */
  stage(ref: string, value: Oid): StagedRef {
    const staged = this.stageLater(ref, value);
    const { path, content } = staged;
    if (!this.#disk.createExclusive(path, content)) {
      // An old file may be a second name of the live ref: it is taken away, never written over.
      this.#disk.remove(path);
      const fresh = this.#disk.createExclusive(path, content);
      assert(fresh, `${path} belongs to one writer`);
    }
    return staged;
  }

  /** What `stage` writes, for a caller who writes it among other things, never over what lies there. */
  stageLater(ref: string, value: Oid): StagedRef {
    assert(validName.test(ref) && !ref.includes('..') && !ref.endsWith('.lock'), `${ref} is a name for a ref`);
    this.#ensureFolder(this.#ownFolder);
    const path = `${this.#ownFolder}/${stagedPrefix}${encodeURIComponent(ref)}.${value}`;
    return { ref, value, path, content: utf8(`${value}\n`) };
  }

  /** Makes staged files durable, with their names: these tell later whose a lock is that a kill left behind. */
  sync(staged: readonly StagedRef[]): void {
    this.#disk.syncAll(
      staged.map(({ path }) => path),
      [this.#ownFolder],
    );
  }

  /** Takes the lock and compares (RF1). On any other outcome than `done` the lock is not held. */
  lock(staged: StagedRef, expected: Oid | null): RefOutcome {
    const { ref } = staged;
    this.#ensureFolder(parentOf(`${this.#directory}/${ref}`));
    if (!this.#disk.link(staged.path, this.#lockPath(ref))) return { kind: 'locked', ref };
    const found = this.#readLocked(ref);
    if (found === expected) return { kind: 'done' };
    this.unlock(ref);
    return { kind: 'moved', ref, found };
  }

  /** Gives a lock back without a move, durably (RF4). */
  unlock(ref: string): void {
    this.#disk.remove(this.#lockPath(ref));
    this.#disk.syncDirectory(parentOf(this.#lockPath(ref)));
  }

  /** Makes what a ref is now durable, however it came there. */
  makeDurable(ref: string): void {
    const path = `${this.#directory}/${ref}`;
    if (this.#disk.read(path) === null) return;
    this.#disk.sync(path);
    this.#disk.syncDirectory(parentOf(path));
  }

  /** Makes the staged value the ref's value. The lock is held before and free afterwards. */
  move(staged: StagedRef): void {
    this.#disk.rename(this.#lockPath(staged.ref), `${this.#directory}/${staged.ref}`);
  }

  /** Makes moves durable (RF3). */
  settle(staged: readonly StagedRef[]): void {
    const folders = new Set(staged.map(({ ref }) => parentOf(`${this.#directory}/${ref}`)));
    this.#disk.syncAll([], [...folders]);
  }

  /** Forgets staged files. */
  discard(staged: readonly StagedRef[]): void {
    for (const { path } of staged) this.#disk.remove(path);
  }

  /** Removes the lock of a ref when its content shows that it is ours: one of the values that we meant to set. */
  removeOwnLock(ref: string, values: readonly Oid[]): boolean {
    const held = this.#disk.read(this.#lockPath(ref));
    if (!held || !values.includes(utf8Text(held).trimEnd())) return false;
    this.unlock(ref);
    return true;
  }

  /**
   * Removes staged files that a kill or a failure left, of one ref or of all, with the locks that belong to them.
   * Answers the paths removed.
   */
  removeLeftovers(only?: string): string[] {
    const removed: string[] = [];
    for (const name of this.#disk.list(this.#ownFolder)) {
      const match = stagedPattern.exec(name);
      if (!match) continue;
      const path = `${this.#ownFolder}/${name}`;
      const value = utf8Text(this.#disk.read(path) ?? new Uint8Array(0)).trimEnd();
      const ref = decodeURIComponent(match[1] ?? '');
      if (only !== undefined && ref !== only) continue;
      if (isOid(value) && this.removeOwnLock(ref, [value])) removed.push(this.#lockPath(ref));
      this.#disk.remove(path);
      removed.push(path);
    }
    return removed;
  }

  #lockPath(ref: string): string {
    return `${this.#directory}/${ref}.lock`;
  }

  #packed(): Uint8Array | null {
    return this.#disk.read(`${this.#directory}/packed-refs`);
  }

  #readLocked(ref: string): Oid | null {
    try {
      return this.read(ref);
    } catch (error) {
      this.unlock(ref);
      throw error;
    }
  }

  #collectLoose(folder: string, names: Set<string>): void {
    for (const name of this.#disk.list(`${this.#directory}/${folder}`)) {
      const path = `${folder}/${name}`;
      if (name.endsWith('.lock')) continue;
      if (this.#disk.read(`${this.#directory}/${path}`)) names.add(path);
      else this.#collectLoose(path, names);
    }
  }

  /** Creates a folder and makes its name durable, and that of every folder above it inside the repository. */
  #ensureFolder(folder: string): void {
    if (this.#ensured.has(folder)) return;
    this.#disk.makeDirectory(folder);
    let above = folder;
    while (above !== this.#directory) {
      above = parentOf(above);
      this.#disk.syncDirectory(above);
    }
    // Stock git removes empty folders deeper than these, so only these can be remembered.
    if (folder.slice(this.#directory.length + 1).split('/').length <= 2) this.#ensured.add(folder);
  }

  #delete(ref: string, expected: Oid | null): RefOutcome {
    const staged = this.#stageAnew(ref, expected ?? '0'.repeat(40));
    let outcome = this.lock(staged, expected);
    if (outcome.kind === 'done') {
      outcome = this.#deletePacked(ref);
      if (outcome.kind === 'done') {
        this.#disk.remove(`${this.#directory}/${ref}`);
        this.#disk.syncDirectory(parentOf(`${this.#directory}/${ref}`));
      }
      this.unlock(ref);
    }
    this.discard([staged]);
    return outcome;
  }

  #deletePacked(ref: string): RefOutcome {
    const packed = this.#packed();
    if (!packed || readPackedRef(packed, ref) === null) return { kind: 'done' };
    const path = `${this.#directory}/packed-refs`;
    if (!this.#disk.createExclusive(`${path}.lock`, withoutPackedRef(packed, ref))) return { kind: 'locked', ref };
    this.#disk.sync(`${path}.lock`);
    this.#disk.rename(`${path}.lock`, path);
    this.#disk.syncDirectory(this.#directory);
    return { kind: 'done' };
  }
}
