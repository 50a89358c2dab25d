// Which landings touched which path lately: what a brief's causes are found in.
//
// Bounded: the oldest landings are forgotten first, and a cause that is forgotten is said to be unknown.

import type { IntentId, LandingId, Oid, TreePath } from '@firetrident/base';
import { folderOf } from '@firetrident/base';
import type { Entry, LandedWrite } from '@firetrident/core';

/** Landings remembered. */
const rememberedLandings = 10_000;
const forgottenTogether = 1_024;

/** A landing as the history knows it. `number` grows by one per landing. */
export interface HistoryLanding {
  readonly number: number;
  readonly landing: LandingId;
  readonly intent: { readonly id: IntentId | null; readonly title: string };
  readonly commit: Oid;
  readonly writes: readonly LandedWrite[];
}

/** One touch of a path, with what stood there before and after. */
export interface Touch {
  readonly by: HistoryLanding;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

export class PathHistory {
  readonly #landings: HistoryLanding[] = [];
  readonly #byPath = new Map<TreePath, Touch[]>();
  /** Landings that created or deleted something in or below a folder, or made it something of another type. */
  readonly #byFolder = new Map<TreePath, HistoryLanding[]>();
  readonly #numberOf = new Map<Oid, number>();
  #next = 1;
  #forgotten = 0;

  /** Adds the newest landing. */
  add(landing: Omit<HistoryLanding, 'number'>): void {
    const remembered = { ...landing, number: this.#next };
    this.#next += 1;
    this.#landings.push(remembered);
    this.#numberOf.set(landing.commit, remembered.number);
    for (const write of landing.writes) {
      push(this.#byPath, write.path, { by: remembered, before: write.before, after: write.after });
      if (typeOf(write.before) !== typeOf(write.after)) {
        for (const folder of foldersAbove(write.path)) push(this.#byFolder, folder, remembered);
      }
    }
    if (this.#landings.length - this.#forgotten > rememberedLandings) this.#forgetOldest();
  }

  /** Touches of a path, newest first. */
  touches(path: TreePath): readonly Touch[] {
    return [...(this.#byPath.get(path) ?? [])].reverse();
  }

  /** The newest landing after `commit` that created or deleted something in or below a folder. */
  newestChangeBelow(folder: TreePath, commit: Oid, concerns: (path: TreePath) => boolean): HistoryLanding | null {
    for (const landing of this.changesBelow(folder, commit)) {
      if (landing.writes.some((write) => (write.before === null) !== (write.after === null) && concerns(write.path)))
        return landing;
    }
    return null;
  }

  /** Landings after `commit`, newest first, that may have changed the listing of a folder or of one below. */
  *changesBelow(folder: TreePath, commit: Oid): Generator<HistoryLanding> {
    yield* this.#newerThan(commit, this.#byFolder.get(folder) ?? []);
  }

  /** All landings after `commit`, newest first. */
  *after(commit: Oid): Generator<HistoryLanding> {
    yield* this.#newerThan(commit, this.#landings);
  }

  /** The commit on which a landing was made; null when it is forgotten. */
  commitBefore(landing: HistoryLanding): Oid | null {
    const first = this.#landings[this.#forgotten];
    if (first === undefined) return null;
    let index = this.#forgotten + landing.number - first.number - 1;
    // The landings of one batch may share a commit.
    while (index >= this.#forgotten && this.#landings[index]?.commit === landing.commit) index -= 1;
    return index < this.#forgotten ? null : (this.#landings[index]?.commit ?? null);
  }

  *#newerThan(commit: Oid, landings: readonly HistoryLanding[]): Generator<HistoryLanding> {
    const known = this.#numberOf.get(commit) ?? 0;
    for (let index = landings.length - 1; index >= 0; index -= 1) {
      const landing = landings[index] as HistoryLanding;
      if (landing.number <= known) return;
      yield landing;
    }
  }

  /** Whether `commit` is a landing that is remembered. */
  knows(commit: Oid): boolean {
    return this.#numberOf.has(commit);
  }

  #forgetOldest(): void {
    const oldest = this.#landings[this.#forgotten] as HistoryLanding;
    this.#forgotten += 1;
    this.#numberOf.delete(oldest.commit);
    for (const write of oldest.writes) {
      shift(this.#byPath, write.path, (touch) => touch.by === oldest);
      for (const folder of foldersAbove(write.path)) shift(this.#byFolder, folder, (landing) => landing === oldest);
    }
    // What is forgotten lies in the list for a while, so that not every landing moves all that stay.
    if (this.#forgotten >= forgottenTogether) {
      this.#landings.splice(0, this.#forgotten);
      this.#forgotten = 0;
    }
  }
}

/** What a listing says of an entry. */
function typeOf(entry: Entry | null): string {
  if (entry === null) return 'absent';
  return entry.mode === '100755' ? '100644' : entry.mode;
}

function push<V>(map: Map<TreePath, V[]>, key: TreePath, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (list[list.length - 1] !== value) list.push(value);
}

function shift<V>(map: Map<TreePath, V[]>, key: TreePath, isOldest: (value: V) => boolean): void {
  const list = map.get(key);
  if (list === undefined) return;
  while (list.length > 0 && isOldest(list[0] as V)) list.shift();
  if (list.length === 0) map.delete(key);
}

/** Every folder above a path, from its own up to the root "". */
function foldersAbove(path: TreePath): TreePath[] {
  const folders: TreePath[] = [];
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    folders.push(folder);
    if (folder === '') return folders;
  }
}
