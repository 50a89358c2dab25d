// A tree as plain data: folders that share what did not change, files that are entries and nothing else.
//
// For the simulator and for tests. It stands in for git's trees, so it keeps their rules: no folder is empty, and no
// name is both file and folder.

import { assert, type TreePath } from '@firetrident/base';
import type { Entry } from './model.ts';
import type { PlanTree } from './plan-port.ts';

interface Folder {
  readonly files: Map<string, Entry>;
  readonly folders: Map<string, Folder>;
  /** Names in lower case, filled when first asked for. */
  folded: Map<string, string[]> | null;
}

function emptyFolder(): Folder {
  return { files: new Map(), folders: new Map(), folded: null };
}

/** One name of a folder's listing. */
export interface FakeListed {
  readonly name: string;
  readonly type: 'folder' | Entry['mode'];
}

/** A tree over plain maps; `with` copies only the folders on the way to what changes. */
export class FakeTree implements PlanTree {
  readonly #root: Folder;

  private constructor(root: Folder) {
    this.#root = root;
  }

  /** The tree of these paths. */
  static of(entries: Iterable<readonly [TreePath, Entry]>): FakeTree {
    return new FakeTree(emptyFolder()).with([...entries].map(([path, entry]) => ({ path, entry })));
  }

  entry(path: TreePath): Entry | null {
    const { folder, name } = this.#locate(path);
    return folder?.files.get(name) ?? null;
  }

  kind(path: TreePath): 'absent' | 'file' | 'directory' {
    if (path === '') return 'directory';
    const { folder, name } = this.#locate(path);
    if (folder?.files.has(name)) return 'file';
    return folder?.folders.has(name) ? 'directory' : 'absent';
  }

  caseClash(path: TreePath): TreePath | null {
    const passed: string[] = [];
    let folder: Folder | undefined = this.#root;
    for (const segment of path.split('/')) {
      if (folder === undefined) return null;
      const other = foldedNames(folder)
        .get(segment.toLowerCase())
        ?.find((name) => name !== segment);
      if (other !== undefined) return [...passed, other].join('/');
      passed.push(segment);
      folder = folder.folders.get(segment);
    }
    return null;
  }

  with(changes: readonly { readonly path: TreePath; readonly entry: Entry | null }[]): FakeTree {
    if (changes.length === 0) return this;
    const owned = new Set<Folder>();
    const root = copyFolder(this.#root, owned);
    for (const { path, entry } of changes) {
      if (entry === null) removeFile(root, path.split('/'), owned);
      else putFile(root, path, entry, owned);
    }
    return new FakeTree(root);
  }

  /** Names of a folder, sorted; null when there is no such folder. */
  list(path: TreePath): readonly FakeListed[] | null {
    let folder: Folder | undefined = this.#root;
    if (path !== '') for (const segment of path.split('/')) folder = folder?.folders.get(segment);
    if (folder === undefined) return null;
    const files = [...folder.files].map(([name, entry]): FakeListed => ({ name, type: entry.mode }));
    const folders = [...folder.folders.keys()].map((name): FakeListed => ({ name, type: 'folder' }));
    return [...files, ...folders].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** All files. Their order is that of the folders' insertion. */
  *entries(): Generator<readonly [TreePath, Entry]> {
    yield* entriesBelow(this.#root, '');
  }

  #locate(path: TreePath): { readonly folder: Folder | undefined; readonly name: string } {
    const segments = path.split('/');
    const name = segments.pop() as string;
    let folder: Folder | undefined = this.#root;
    for (const segment of segments) folder = folder?.folders.get(segment);
    return { folder, name };
  }
}

function copyFolder(folder: Folder, owned: Set<Folder>): Folder {
  if (owned.has(folder)) return folder;
  const copy: Folder = { files: new Map(folder.files), folders: new Map(folder.folders), folded: null };
  owned.add(copy);
  return copy;
}

function putFile(root: Folder, path: TreePath, entry: Entry, owned: Set<Folder>): void {
  const segments = path.split('/');
  const name = segments.pop() as string;
  let folder = root;
  for (const segment of segments) {
    assert(!folder.files.has(segment), `${path} lies below a file`);
    const child = copyFolder(folder.folders.get(segment) ?? emptyFolder(), owned);
    folder.folders.set(segment, child);
    folder = child;
  }
  assert(!folder.folders.has(name), `${path} is a folder`);
  folder.files.set(name, entry);
}

function removeFile(folder: Folder, segments: readonly string[], owned: Set<Folder>): void {
  const [name, ...rest] = segments as readonly [string, ...string[]];
  if (rest.length === 0) {
    folder.files.delete(name);
    return;
  }
  const existing = folder.folders.get(name);
  if (existing === undefined) return;
  const child = copyFolder(existing, owned);
  removeFile(child, rest, owned);
  if (child.files.size === 0 && child.folders.size === 0) folder.folders.delete(name);
  else folder.folders.set(name, child);
}

function foldedNames(folder: Folder): Map<string, string[]> {
  if (folder.folded !== null) return folder.folded;
  const folded = new Map<string, string[]>();
  for (const name of [...folder.files.keys(), ...folder.folders.keys()].sort()) {
    const key = name.toLowerCase();
    const names = folded.get(key);
    if (names === undefined) folded.set(key, [name]);
    else names.push(name);
  }
  folder.folded = folded;
  return folded;
}

function* entriesBelow(folder: Folder, prefix: string): Generator<readonly [TreePath, Entry]> {
  for (const [name, entry] of folder.files) yield [prefix + name, entry];
  for (const [name, child] of folder.folders) yield* entriesBelow(child, `${prefix}${name}/`);
}
