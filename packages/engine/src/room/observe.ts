// What a read shows in a tree: the hash that is compared with its basis (V1).
//
// Equal content gives equal hashes, whatever happened in between, so it is never stale.

import { hexText, type Oid, type TreePath, utf8 } from '@firetrident/base';
import { compileGlob, globRoot, mapLines, type ParsedModule, symbolSliceAcross } from '@firetrident/content';
import { type Entry, type Observation, type ResolvedRead, thingRead, VerdictMemory } from '@firetrident/core';
import type { Tree } from '@firetrident/trunk';
import type { Materials } from './materials.ts';

/** SHA-1 of text, as hexadecimal digits. */
export type TextHash = (text: string) => string;

export function textHash(sha1: (parts: readonly Uint8Array[]) => Uint8Array): TextHash {
  return (text) => hexText(sha1([utf8(text)]));
}

/** Reads whose observations are remembered. */
const rememberedReads = 8_192;

/** Hears where a judgement looked, and when what it saw may be different next time. */
interface Watch {
  readonly looked: (path: TreePath) => void;
  readonly doubted: () => void;
}

const unwatched: Watch = { looked: () => undefined, doubted: () => undefined };

/** Computes bases and observations of reads. */
export class Observer {
  /** What reads showed, by what they were found by. */
  readonly memory = new VerdictMemory<Observation>(rememberedReads);
  readonly #folders = new WeakMap<object, number>();
  #folderCount = 0;
  readonly #materials: Materials;
  readonly #hash: TextHash;

  constructor(materials: Materials, hash: TextHash) {
    this.#materials = materials;
    this.#hash = hash;
  }

  /** What a read shows in a tree; recalled while everything that it was found by stands (V5). */
  observe(tree: Tree, read: ResolvedRead): Observation {
    if (read.kind === 'file' || (read.kind === 'lines' && this.file(tree, read.path) === read.basis)) {
      const now = this.file(tree, read.path);
      return { stale: now !== read.basis, now };
    }
    return this.memory.verdict(
      `${thingRead(read)} ${read.basis}`,
      (place) => this.#look(tree, place),
      (sight) => this.#judge(tree, read, sight),
    );
  }

  file(tree: Tree, path: TreePath): Oid | null {
    return tree.entry(path)?.oid ?? null;
  }

  /** Hash of one level: names and types only. A folder that is not there has a hash of its own. */
  directory(tree: Tree, path: TreePath): string {
    const items = tree.list(path);
    if (items === null) return this.#hash('absent');
    return this.#hash(items.map((item) => `${itemType(item)} ${JSON.stringify(item.name)}`).join('\n'));
  }

  /** Hash of the paths that match. */
  glob(tree: Tree, glob: string): string {
    const matches = compileGlob(glob);
    const matched: string[] = [];
    for (const path of tree.paths(globRoot(glob))) if (matches(path)) matched.push(JSON.stringify(path));
    return this.#hash(matched.join('\n'));
  }

  /** Hash of an exported declaration; of the whole file where the name cannot be resolved; "absent" without a file. */
  symbol(tree: Tree, path: TreePath, symbol: string, signature: boolean, watch: Watch = unwatched): string {
    const entry = tree.entry(path);
    if (entry === null) return 'absent';
    const slice = this.slice(tree, path, entry, symbol, signature, watch);
    return slice === null ? `file:${entry.oid}` : `slice:${this.#hash(slice)}`;
  }

  /** Canonical text of a symbol, re-exports followed; null when it cannot be resolved. */
  slice(
    tree: Tree,
    path: TreePath,
    entry: Entry,
    symbol: string,
    signature: boolean,
    watch: Watch = unwatched,
  ): string | null {
    const load = (at: TreePath): ParsedModule | null => {
      watch.looked(at);
      const found = at === path ? entry : tree.entry(at);
      const module = found === null || !isFile(found) ? null : this.#materials.module(at, found.oid);
      if (module?.ok === false && module.reason === 'limit') watch.doubted();
      return module;
    };
    const exists = (at: TreePath) => {
      watch.looked(at);
      return tree.kind(at) === 'file';
    };
    return symbolSliceAcross(path, symbol, { signature }, load, exists);
  }

  /** What a place shows: an entry, or a folder by a number that it keeps as long as nothing in it changes. */
  #look(tree: Tree, place: string): string {
    const path = place.slice(1);
    if (place.startsWith('=')) {
      const entry = tree.entry(path);
      return entry === null ? tree.kind(path) : `${entry.mode} ${entry.oid}`;
    }
    const folder = tree.folder(path);
    if (folder === null) return 'absent';
    let number = this.#folders.get(folder);
    if (number === undefined) {
      this.#folderCount += 1;
      number = this.#folderCount;
      this.#folders.set(folder, number);
    }
    return String(number);
  }

  #judge(tree: Tree, read: Exclude<ResolvedRead, { kind: 'file' }>, sight: (place: string) => string) {
    let isCertain = true;
    const watch: Watch = {
      looked: (path) => sight(`=${path}`),
      doubted: () => {
        isCertain = false;
      },
    };
    const verdict = this.#observation(tree, read, sight, watch);
    return { verdict, isCertain };
  }

  #observation(
    tree: Tree,
    read: Exclude<ResolvedRead, { kind: 'file' }>,
    sight: (place: string) => string,
    watch: Watch,
  ): Observation {
    switch (read.kind) {
      case 'dir': {
        sight(`/${read.path}`);
        const now = this.directory(tree, read.path);
        return { stale: now !== read.basis, now };
      }
      case 'glob': {
        sight(`/${globRoot(read.glob)}`);
        const now = this.glob(tree, read.glob);
        return { stale: now !== read.basis, now };
      }
      case 'symbol': {
        watch.looked(read.path);
        const now = this.symbol(tree, read.path, read.symbol, read.signature, watch);
        return { stale: now !== read.basis, now };
      }
      case 'lines':
        watch.looked(read.path);
        return this.#observeLines(tree, read);
    }
  }

  #observeLines(tree: Tree, read: Extract<ResolvedRead, { kind: 'lines' }>): Observation {
    const now = this.file(tree, read.path);
    if (now === null || read.basis === null) return { stale: true, now };
    const mapped = mapLines(this.#materials.bytes(read.basis), this.#materials.bytes(now), read.from, read.to);
    return { stale: mapped.kind === 'changed', now };
  }
}

function itemType(item: { readonly kind: 'file' | 'directory'; readonly entry?: Entry }): string {
  if (item.kind === 'directory') return 'directory';
  if (item.entry?.mode === '120000') return 'link';
  return item.entry?.mode === '160000' ? 'submodule' : 'file';
}

export function isFile(entry: Entry): boolean {
  return entry.mode === '100644' || entry.mode === '100755';
}
