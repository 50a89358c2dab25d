// A tree as plain data: paths with their entries, and folders with the names in them.
//
// For the simulator and for tests. It stands in for git's trees, so it keeps their rules: no folder is empty, and no
// name is both file and folder. A version shares with the one before it all that did not change.

import { assert, folderOf, nameOf, type TreePath } from '@firetrident/base';
import { FakeMap } from './fake-facts-map.ts';
import type { Entry } from './model.ts';
import type { PlanTree } from './plan-port.ts';

/** One name of a folder's listing. */
export interface FakeListed {
  readonly name: string;
  readonly type: 'folder' | Entry['mode'];
}

interface Folder {
  readonly names: FakeMap<FakeListed['type']>;
  /** Names by their lower case. */
  readonly folded: FakeMap<readonly string[]>;
  /** The sorted listing, made when first asked for. */
  listing: readonly FakeListed[] | null;
}

const emptyFolder: Folder = { names: FakeMap.empty(), folded: FakeMap.empty(), listing: null };

/** A tree over persistent maps; `with` costs a few steps for each change. */
export class FakeTree implements PlanTree {
  readonly #files: FakeMap<Entry>;
  readonly #folders: FakeMap<Folder>;

  private constructor(files: FakeMap<Entry>, folders: FakeMap<Folder>) {
    this.#files = files;
    this.#folders = folders;
  }

  /** The tree of these paths. */
  static of(entries: Iterable<readonly [TreePath, Entry]>): FakeTree {
    const empty = new FakeTree(FakeMap.empty(), FakeMap.empty());
    return empty.with([...entries].map(([path, entry]) => ({ path, entry })));
  }

  entry(path: TreePath): Entry | null {
    return this.#files.get(path) ?? null;
  }

  kind(path: TreePath): 'absent' | 'file' | 'directory' {
    if (path === '' || this.#folders.get(path) !== undefined) return 'directory';
    return this.#files.get(path) === undefined ? 'absent' : 'file';
  }

  caseClash(path: TreePath): TreePath | null {
    for (let from = 0; ; ) {
      const slash = path.indexOf('/', from);
      const name = slash < 0 ? path.slice(from) : path.slice(from, slash);
      const folder = this.#folders.get(path.slice(0, Math.max(from - 1, 0)));
      const type = folder?.names.get(name);
      if (type === undefined) {
        const other = folder?.folded.get(name.toLowerCase())?.[0];
        return other === undefined ? null : path.slice(0, from) + other;
      }
      if (type !== 'folder' || slash < 0) return null;
      from = slash + 1;
    }
  }

  with(changes: readonly { readonly path: TreePath; readonly entry: Entry | null }[]): FakeTree {
    let files = this.#files;
    let folders = this.#folders;
    for (const { path, entry } of changes) {
      const before = files.get(path);
      if (entry === null) {
        if (before === undefined) continue;
        files = files.delete(path);
        folders = withoutName(folders, path);
      } else {
        files = files.set(path, entry);
        if (before?.mode === entry.mode) continue;
        assert(folders.get(path) === undefined, `${path} is a folder`);
        folders = withName(folders, path, entry.mode);
      }
    }
    return files === this.#files ? this : new FakeTree(files, folders);
  }

  /** Names of a folder, sorted: the same array as long as they stay the same. Null when there is no such folder. */
  list(path: TreePath): readonly FakeListed[] | null {
    const folder = this.#folders.get(path);
    if (folder === undefined) return null;
    folder.listing ??= [...folder.names.entries()]
      .map(([name, type]) => ({ name, type }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    return folder.listing;
  }

  /** All files, in no order that means anything. */
  entries(): Generator<readonly [TreePath, Entry]> {
    return this.#files.entries();
  }
}

function withName(folders: FakeMap<Folder>, path: TreePath, type: FakeListed['type']): FakeMap<Folder> {
  const parent = folderOf(path);
  const name = nameOf(path);
  const known = folders.get(parent);
  const folder = known ?? emptyFolder;
  const held = folder.names.get(name);
  assert(type !== 'folder' || held === undefined || held === 'folder', `${path} is a file`);
  const key = name.toLowerCase();
  const folded =
    held === undefined ? folder.folded.set(key, [...(folder.folded.get(key) ?? []), name].sort()) : folder.folded;
  const grown = folders.set(parent, { names: folder.names.set(name, type), folded, listing: null });
  return known === undefined && parent !== '' ? withName(grown, parent, 'folder') : grown;
}

function withoutName(folders: FakeMap<Folder>, path: TreePath): FakeMap<Folder> {
  const parent = folderOf(path);
  const name = nameOf(path);
  const folder = folders.get(parent) ?? emptyFolder;
  const names = folder.names.delete(name);
  if (names.size === 0) {
    const shrunk = folders.delete(parent);
    return parent === '' ? shrunk : withoutName(shrunk, parent);
  }
  const key = name.toLowerCase();
  const left = (folder.folded.get(key) ?? []).filter((each) => each !== name);
  const folded = left.length === 0 ? folder.folded.delete(key) : folder.folded.set(key, left);
  return folders.set(parent, { names, folded, listing: null });
}
