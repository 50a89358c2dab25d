// Files without bytes: a version is a number, the ranges that it changed and the exported names that it touched.
//
//   FV1. The history of a file is bounded. A change that is older than it conflicts, which errs towards more work.
//   FV2. A name shows the version that touched it last; a version of which nobody knows what it touched counts for every name.

import type { IntentId, LandingId, Oid, TreePath } from '@firetrident/base';
import type { Entry } from '@firetrident/core';
import { mapRanges, type Ranges } from './hunks.ts';

/** Versions of one file that a late change is still mapped through (FV1). */
const historyAtMost = 512;
/** The name that stands for every exported name. */
const everyName = '*';

/** One content of a file. It is the entry that the core sees. */
export class FileVersion implements Entry {
  readonly mode = '100644';
  readonly oid: Oid;
  readonly ranges: Ranges;
  /** Exported names that it touches; null when unknown (FV2). */
  readonly symbols: readonly string[] | null;
  /** Its place in the history of its file, once it stands on a tree. */
  number = 0;
  /** The landing that brought it, and the intent behind that. */
  landing: LandingId | null = null;
  intent: IntentId | null = null;

  constructor(oid: Oid, ranges: Ranges, symbols: readonly string[] | null) {
    this.oid = oid;
    this.ranges = ranges;
    this.symbols = symbols;
  }

  /** Whether the name shows something else than before this version. */
  touches(name: string): boolean {
    if (this.symbols === null) return true;
    return name === everyName ? this.symbols.length > 0 : this.symbols.includes(name);
  }
}

const noRanges: Ranges = new Int32Array(0);

/** A version that one cycle has planned for a file. */
interface Planned {
  readonly tree: number;
  readonly version: FileVersion;
}

/** A file of trunk with the versions that a running cycle may give it. */
export class TrunkFile {
  readonly path: TreePath;
  tip: FileVersion;
  readonly #first: FileVersion;
  /** The versions before the tip and the tip itself, oldest first. */
  readonly #history: FileVersion[] = [];
  readonly #bySymbol = new Map<string, FileVersion>();
  #unknown: FileVersion | null = null;
  #plan = -1;
  readonly #planned: Planned[] = [];

  constructor(path: TreePath, pathId: number) {
    this.path = path;
    this.tip = new FileVersion(`${pathId.toString(36)}.0`, noRanges, null);
    this.#first = this.tip;
  }

  /** The version on the tree with this number of the plan. */
  at(plan: number, tree: number): FileVersion {
    if (plan !== this.#plan) return this.tip;
    for (let index = this.#planned.length - 1; index >= 0; index -= 1) {
      const planned = this.#planned[index] as Planned;
      if (planned.tree <= tree) return planned.version;
    }
    return this.tip;
  }

  /** The tree with this number of the plan gives the file another version. */
  put(plan: number, tree: number, version: FileVersion): void {
    if (plan !== this.#plan) {
      this.#plan = plan;
      this.#planned.length = 0;
    }
    version.number = this.at(plan, tree).number + 1;
    this.#planned.push({ tree, version });
  }

  /** The version that last touched the name on that tree (FV2). */
  showing(name: string, plan: number, tree: number): FileVersion {
    if (plan === this.#plan) {
      for (let index = this.#planned.length - 1; index >= 0; index -= 1) {
        const planned = this.#planned[index] as Planned;
        if (planned.tree <= tree && planned.version.touches(name)) return planned.version;
      }
    }
    return this.showingAtTip(name);
  }

  /** The version that last touched the name at the tip (FV2). */
  showingAtTip(name: string): FileVersion {
    const known = this.#bySymbol.get(name);
    const unknown = this.#unknown;
    if (known === undefined) return unknown ?? this.#first;
    return unknown !== null && unknown.number > known.number ? unknown : known;
  }

  /** The version lands on the tip. */
  land(version: FileVersion): void {
    if (this.#history.length === 0) this.#history.push(this.tip);
    version.number = this.tip.number + 1;
    this.tip = version;
    this.#history.push(version);
    if (this.#history.length > historyAtMost * 2) this.#history.splice(0, historyAtMost); // (FV1)
    if (version.symbols === null) {
      this.#unknown = version;
      this.#bySymbol.clear();
      return;
    }
    for (const name of version.symbols) this.#bySymbol.set(name, version);
    if (version.symbols.length > 0) this.#bySymbol.set(everyName, version);
  }

  /** The ranges of a change of `base` as they lie on `ours`, a version of the running plan; null when they conflict. */
  mapped(ranges: Ranges, base: FileVersion, ours: FileVersion): Ranges | null {
    let moved: Ranges | null = ranges;
    const oldest = this.#history[0]?.number ?? this.tip.number;
    if (base.number < oldest) return null; // (FV1)
    const landed = Math.min(ours.number, this.tip.number);
    for (let number = base.number + 1; number <= landed && moved !== null; number += 1) {
      moved = mapRanges(moved, (this.#history[number - oldest] as FileVersion).ranges);
    }
    for (const { version } of ours.number > this.tip.number ? this.#planned : []) {
      if (moved === null || version.number > ours.number) break;
      moved = mapRanges(moved, version.ranges);
    }
    return moved;
  }
}
