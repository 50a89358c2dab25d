// The newest notes tree in memory, and no more of it than lately landed.
//
// Every landing adds a note at a random place, so in the long run all folders of the notes would be held: 65,536 of them
// after the second cut, and with them the notes of all time. Trees of earlier notes are not kept at all, because a
// cycle begins from the newest.
//
// Invariants:
//   NM1. What is held is bounded by the landings of `landingsKept` cycles, however many notes there are.
//   NM2. Only folders that the repository has are let go of.

import type { Oid } from '@firetrident/base';
import { type Directory, keepFresh, unloadStored } from './directory.ts';
import type { Tree } from './tree.ts';

/** Cycles after which the folders in memory are let go of, to be read again where a note comes to lie. */
const landingsKept = 64;

/** The notes as the last cycle left them. */
export class NotesInMemory {
  #newest: { readonly commit: Oid; readonly tree: Tree } | null = null;
  #folders = new Map<Oid, Directory>();
  #landings = 0;

  /** The notes tree of a commit when it is the newest one that landed here; otherwise undefined. */
  tree(commit: Oid): Tree | undefined {
    return this.#newest?.commit === commit ? this.#newest.tree : undefined;
  }

  /** A folder that the newest tree holds in memory. */
  folder(oid: Oid): Directory | undefined {
    return this.#folders.get(oid);
  }

  /** Takes over the tree that a cycle made, before its folders are marked as stored. */
  keep(commit: Oid, tree: Tree): void {
    this.#newest = { commit, tree };
    keepFresh(tree.root, this.#folders);
  }

  /** Lets go of folders now and then (NM1). Run once what was kept is stored (NM2). */
  trim(): void {
    this.#landings += 1;
    if (this.#newest === null || this.#landings % landingsKept !== 0) return;
    const { root } = this.#newest.tree;
    this.#folders = new Map();
    unloadStored(root);
  }
}
