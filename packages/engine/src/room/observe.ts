// What a read shows in a tree: the hash that is compared with its basis (V1).
//
// Equal content gives equal hashes, whatever happened in between, so it is never stale.

import { hexText, type Oid, type TreePath, utf8 } from '@firetrident/base';
import { compileGlob, globRoot, mapLines, type ParsedModule, symbolSliceAcross } from '@firetrident/content';
import type { Entry, Observation, ResolvedRead } from '@firetrident/core';
import type { Tree } from '@firetrident/trunk';
import type { Materials } from './materials.ts';

/** SHA-1 of text, as hexadecimal digits. */
export type TextHash = (text: string) => string;

export function textHash(sha1: (parts: readonly Uint8Array[]) => Uint8Array): TextHash {
  return (text) => hexText(sha1([utf8(text)]));
}

/** Computes bases and observations of reads. */
export class Observer {
  readonly #materials: Materials;
  readonly #hash: TextHash;

  constructor(materials: Materials, hash: TextHash) {
    this.#materials = materials;
    this.#hash = hash;
  }

  observe(tree: Tree, read: ResolvedRead): Observation {
    if (read.kind === 'lines') return this.#observeLines(tree, read);
    const now = this.#basis(tree, read);
    return { stale: now !== read.basis, now };
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
  symbol(tree: Tree, path: TreePath, symbol: string, signature: boolean): string {
    const entry = tree.entry(path);
    if (entry === null) return 'absent';
    const slice = this.slice(tree, path, entry, symbol, signature);
    return slice === null ? `file:${entry.oid}` : `slice:${this.#hash(slice)}`;
  }

  /** Canonical text of a symbol, re-exports followed; null when it cannot be resolved. */
  slice(tree: Tree, path: TreePath, entry: Entry, symbol: string, signature: boolean): string | null {
    const load = (at: TreePath): ParsedModule | null => {
      const found = at === path ? entry : tree.entry(at);
      return found === null || !isFile(found) ? null : this.#materials.module(at, found.oid);
    };
    const exists = (at: TreePath) => tree.kind(at) === 'file';
    return symbolSliceAcross(path, symbol, { signature }, load, exists);
  }

  #basis(tree: Tree, read: Exclude<ResolvedRead, { kind: 'lines' }>): string | null {
    switch (read.kind) {
      case 'file':
        return this.file(tree, read.path);
      case 'dir':
        return this.directory(tree, read.path);
      case 'glob':
        return this.glob(tree, read.glob);
      case 'symbol':
        return this.symbol(tree, read.path, read.symbol, read.signature);
    }
  }

  #observeLines(tree: Tree, read: Extract<ResolvedRead, { kind: 'lines' }>): Observation {
    const now = this.file(tree, read.path);
    if (now === read.basis) return { stale: false, now };
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
