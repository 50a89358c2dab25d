// Who has read what: found by the path that a landing changes, never by looking at leases.
//
// Claims are found in the index of takes. Globs without a place ("**/*.ts") are not watched: like claims of that kind
// they say nothing about a path (T2c).
//
//   WX1. Equals one made again from the recorded reads of leases and from the proposals that are back with their agents.

import { folderOf, type LeaseId, type ProposalId, type TreePath } from '@firetrident/base';
import type { LandedWrite, Proposal } from './model.ts';
import { literalPattern, parsePattern } from './pattern.ts';
import { PatternIndex } from './pattern-index.ts';

/** What watches: a lease by what was served under it, or a proposal that came back by what it reads and writes. */
export type Watcher = LeaseId | ProposalId;

interface WatchedGlob {
  readonly watcher: Watcher;
  readonly glob: string;
}

/** Watchers by path, folder and glob. */
export class WatchIndex {
  readonly #byPath: Map<TreePath, Set<Watcher>> = new Map();
  readonly #byListing: Map<TreePath, Set<Watcher>> = new Map();
  readonly #globs: PatternIndex<WatchedGlob> = new PatternIndex();
  readonly #globsOf: Map<Watcher, readonly WatchedGlob[]> = new Map();

  addPath(path: TreePath, watcher: Watcher): void {
    file(this.#byPath, path, watcher);
  }

  removePath(path: TreePath, watcher: Watcher): void {
    unfile(this.#byPath, path, watcher);
  }

  /** A proposal came back, so its agent works on what it read and wrote. */
  addReturned({ id, writes, reads }: Proposal): void {
    for (const { path } of writes) file(this.#byPath, path, id);
    const globs: WatchedGlob[] = [];
    for (const read of reads) {
      if (read.kind === 'glob') globs.push({ watcher: id, glob: read.glob });
      else file(read.kind === 'dir' ? this.#byListing : this.#byPath, read.path, id);
    }
    for (const watched of globs) this.#globs.add(parsePattern(watched.glob), watched);
    if (globs.length > 0) this.#globsOf.set(id, globs);
  }

  /** It was repaired, or its lease is over. */
  removeReturned({ id, writes, reads }: Proposal): void {
    for (const { path } of writes) unfile(this.#byPath, path, id);
    for (const read of reads) {
      if (read.kind !== 'glob') unfile(read.kind === 'dir' ? this.#byListing : this.#byPath, read.path, id);
    }
    for (const watched of this.#globsOf.get(id) ?? []) this.#globs.remove(parsePattern(watched.glob), watched);
    this.#globsOf.delete(id);
  }

  /** How many watch a path: leases that were served it, and returned proposals that read or write it. */
  countAt(path: TreePath): number {
    return this.#byPath.get(path)?.size ?? 0;
  }

  /** Whether one of them watches a path by its name, as `countAt` counts it. */
  watches(path: TreePath, watcher: Watcher): boolean {
    return this.#byPath.get(path)?.has(watcher) === true;
  }

  /** Visits whoever watches what a write changes; a watcher may come more than once. */
  visit({ path, before, after }: LandedWrite, visit: (watcher: Watcher) => void): void {
    for (const watcher of this.#byPath.get(path) ?? []) visit(watcher);
    if (before !== null && after !== null) return;
    // A file that comes or goes may bring its folders along, or take them.
    for (let folder = folderOf(path); ; folder = folderOf(folder)) {
      for (const watcher of this.#byListing.get(folder) ?? []) visit(watcher);
      if (folder === '') break;
    }
    this.#globs.visit(literalPattern(path.split('/')), ({ watcher }) => {
      visit(watcher);
      return true;
    });
  }

  /** The whole content in a fixed order, to compare two indexes. */
  describe(): unknown {
    const sets = (map: ReadonlyMap<string, ReadonlySet<Watcher>>) =>
      [...map].map(([key, watchers]) => JSON.stringify([key, ...[...watchers].sort()])).sort();
    const globs = [...this.#globsOf].map(([watcher, watched]) => [watcher, ...watched.map(({ glob }) => glob)]);
    return { paths: sets(this.#byPath), listings: sets(this.#byListing), globs: globs.map(String).sort() };
  }
}

function file(map: Map<TreePath, Set<Watcher>>, key: TreePath, watcher: Watcher): void {
  const watchers = map.get(key);
  if (watchers === undefined) map.set(key, new Set([watcher]));
  else watchers.add(watcher);
}

function unfile(map: Map<TreePath, Set<Watcher>>, key: TreePath, watcher: Watcher): void {
  const watchers = map.get(key);
  watchers?.delete(watcher);
  if (watchers?.size === 0) map.delete(key);
}
