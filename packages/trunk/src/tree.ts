// A tree: the folders and files of one commit. Immutable, lazily loaded, shared between versions.
//
// It never knows commits or refs. Where folders come from is the loader's business.

import { assert, type Oid, pathBytes, type TreePath } from '@firetrident/base';
import { clashingName } from './case-fold.ts';
import {
  childAt,
  type Directory,
  type DirectoryHasher,
  type DirectoryLoader,
  emptyDirectory,
  nameAt,
  type Place,
  places,
} from './directory.ts';
import type { DirectoryItem, Entry, PathChange, PathKind, TreeChange } from './model.ts';
import { oidText } from './oid-bytes.ts';
import { diffDirectories } from './tree-diff.ts';
import { editTree } from './tree-edit.ts';
import { entryAt, isDirectoryAt } from './tree-entry.ts';

/** What a tree needs from its repository. */
export interface TreeSource {
  readonly load: DirectoryLoader;
  readonly hash: DirectoryHasher;
}

/** A tree. Every method may load folders and so throw TrunkError `missing-object` or `corrupt`. */
export class Tree {
  /** For the repository that made the tree; others have no use for it. */
  readonly root: Directory;
  readonly #source: TreeSource;
  #oid: Oid | null = null;

  constructor(root: Directory, source: TreeSource) {
    this.root = root;
    this.#source = source;
  }

  /** Id of the tree object. Computed when first asked for. */
  get oid(): Oid {
    this.#oid ??= oidText(this.root.seal(this.#source.hash));
    return this.#oid;
  }

  /** The file, symbolic link or submodule at a path, or null. */
  entry(path: TreePath): Entry | null {
    const slash = path.lastIndexOf('/');
    const folder = slash < 0 ? this.root : this.#directory(path.slice(0, slash));
    return folder?.file(pathBytes(path.slice(slash + 1))) ?? null;
  }

  /** What lies at a path. The root, "", is a directory. */
  kind(path: TreePath): PathKind {
    if (path === '') return 'directory';
    const slash = path.lastIndexOf('/');
    const folder = slash < 0 ? this.root : this.#directory(path.slice(0, slash));
    if (!folder) return 'absent';
    const name = pathBytes(path.slice(slash + 1));
    if (folder.find(name, false)) return 'file';
    return folder.find(name, true) ? 'directory' : 'absent';
  }

  /** One level of a directory in git's order ("" is the root), or null when there is no such directory. */
  list(directory: TreePath): DirectoryItem[] | null {
    const found = this.#directory(directory);
    return found && Array.from(places(found), itemAt);
  }

  /** The directory as one thing, or null when there is none: the same thing has the same content, all levels down (DR1). */
  folder(directory: TreePath): object | null {
    return this.#directory(directory);
  }

  /** How many files and subdirectories a directory has, in one level; zero when there is none. */
  countOf(directory: TreePath): { readonly files: number; readonly folders: number } {
    const found = this.#directory(directory);
    let folders = 0;
    for (const { piece, start } of found ? places(found) : []) if (isDirectoryAt(piece.bytes, start)) folders += 1;
    return { files: (found?.count ?? 0) - folders, folders };
  }

  /** Paths of all files below a directory, in git's order. Folders are loaded as the iteration reaches them. */
  paths(below: TreePath = ''): Iterable<TreePath> {
    const found = this.#directory(below);
    return found ? filesBelow(found, below === '' ? '' : `${below}/`, this.#source.load) : [];
  }

  /**
   * A path of this tree that would clash with `path` where case is ignored: the first folder or the file on its way
   * that is missing here while one that differs only in case exists. Null when there is none; what exists
   * already in exactly this spelling never clashes.
   */
  caseClash(path: TreePath): TreePath | null {
    let directory = this.root;
    for (let from = 0; ; ) {
      const slash = path.indexOf('/', from);
      const name = slash < 0 ? path.slice(from) : path.slice(from, slash);
      const bytes = pathBytes(name);
      const child = directory.child(name, bytes, this.#source.load);
      if (!child && !directory.find(bytes, false)) {
        const other = clashingName(directory, name);
        return other === null ? null : path.slice(0, from) + other;
      }
      if (!child || slash < 0) return null;
      directory = child;
      from = slash + 1;
    }
  }

  /**
   * The tree with the changes made. Directories that become empty go away; deleting what is absent changes nothing.
   * Crashes when a path would be file and folder at once: the caller has to refuse that before.
   */
  with(changes: Iterable<TreeChange>): Tree {
    const root = editTree(this.root, changes, this.#source.load);
    if (root === this.root) return this;
    return new Tree(root ?? emptyDirectory(), this.#source);
  }

  /** Paths that differ in another tree of the same repository, in path order. */
  diff(after: Tree): PathChange[] {
    if (this.oid === after.oid) return [];
    return diffDirectories(this.root, after.root, this.#source.load);
  }

  #directory(path: TreePath): Directory | null {
    if (path === '') return this.root;
    let directory: Directory | null = this.root;
    for (const name of path.split('/')) {
      assert(name !== '', `"${path}" is a path in a tree`);
      directory = directory.child(name, pathBytes(name), this.#source.load);
      if (!directory) return null;
    }
    return directory;
  }
}

function itemAt(place: Place): DirectoryItem {
  const { piece, start } = place;
  const name = nameAt(place);
  if (isDirectoryAt(piece.bytes, start)) return { name, kind: 'directory' };
  return { name, kind: 'file', entry: entryAt(piece.bytes, start) };
}

function* filesBelow(directory: Directory, prefix: string, load: DirectoryLoader): Generator<TreePath> {
  for (const place of places(directory)) {
    const name = nameAt(place);
    if (!isDirectoryAt(place.piece.bytes, place.start)) yield prefix + name;
    else yield* filesBelow(childAt(place, name, load), `${prefix}${name}/`, load);
  }
}
