// What planning asks about trunk, answered from versions instead of bytes.
//
// The trees of one plan are numbers: the tip is 0, each landing makes the next. A file knows its version on each of them.
//
//   TF1. A tree shows what it showed when it was made, whatever was planned after it.

import { assert, defined, type Oid, type TreePath } from '@firetrident/base';
import type { Cause, Entry, MergeFact, Observation, PlanFacts, PlanTree, ResolvedRead } from '@firetrident/core';
import { FileVersion, TrunkFile } from './file-versions.ts';

type Changes = readonly { readonly path: TreePath; readonly entry: Entry | null }[];

const unknownCause: Cause = { landing: null, intent: { id: null, title: '' } };

/** All files of trunk, by path. */
export class Trunk implements PlanFacts {
  readonly #files = new Map<TreePath, TrunkFile>();
  readonly #byPathId: (TrunkFile | undefined)[] = [];
  #versions = 0;
  /** Cycles that were planned; tells the trees of one plan from those of another. */
  #plan = 0;
  #head: NumberedTree = new NumberedTree(this, 0, 0);
  tip: NumberedTree = this.#head;

  /** The file with this number; it exists from the first time that it is asked for. */
  file(path: TreePath, pathId: number): TrunkFile {
    let file = this.#byPathId[pathId];
    if (file === undefined) {
      file = new TrunkFile(path, pathId);
      this.#byPathId[pathId] = file;
      this.#files.set(path, file);
    }
    return file;
  }

  /** An object id that was not there before. */
  nextOid(): Oid {
    this.#versions += 1;
    return `v${this.#versions.toString(36)}`;
  }

  /** Begins the plan of another cycle on the tip. */
  beginPlan(): void {
    this.#plan += 1;
    this.#head = new NumberedTree(this, this.#plan, 0);
    this.tip = this.#head;
  }

  /** The file at a path that something names. */
  at(path: TreePath): TrunkFile {
    return defined(this.#files.get(path), `the file ${path}`);
  }

  isFile(path: TreePath): boolean {
    return this.#files.has(path);
  }

  /** The next tree of the running plan, or one beside it when that has gone on from `from` already. */
  grow(from: NumberedTree, changes: Changes): PlanTree {
    if (from !== this.#head) return new SideTree(from, changes);
    const number = from.number + 1;
    for (const { path, entry } of changes) this.at(path).put(this.#plan, number, entry as FileVersion);
    this.#head = new NumberedTree(this, this.#plan, number);
    return this.#head;
  }

  merge(path: TreePath, base: Entry | null, ours: Entry | null, theirs: Entry | null): MergeFact {
    assert(
      base instanceof FileVersion && ours instanceof FileVersion && theirs instanceof FileVersion,
      'three versions',
    );
    const ranges = this.at(path).mapped(theirs.ranges, base, ours);
    if (ranges === null) return { kind: 'conflict', conflict: 'content' };
    return { kind: 'merged', entry: new FileVersion(this.nextOid(), ranges, theirs.symbols), proof: null };
  }

  observe(tree: PlanTree, read: ResolvedRead): Observation {
    assert(tree instanceof NumberedTree, 'reads are asked of trees of the plan');
    assert(read.kind === 'symbol' || read.kind === 'file', 'only files and symbols are read');
    const file = this.at(read.path);
    const { plan, number } = tree;
    const shown = read.kind === 'symbol' ? file.showing(read.symbol, plan, number) : file.at(plan, number);
    return shown.oid === read.basis ? fresh : { stale: true, now: shown.oid };
  }

  /** The version that a read shows at the tip. */
  shownAtTip(read: ResolvedRead): FileVersion {
    assert(read.kind === 'symbol' || read.kind === 'file', 'only files and symbols are read');
    const file = this.at(read.path);
    return read.kind === 'symbol' ? file.showingAtTip(read.symbol) : file.tip;
  }

  causeOfRead(read: ResolvedRead): Cause {
    if (read.kind === 'file') return causeOf(this.at(read.path).tip);
    return read.kind === 'symbol' ? causeOf(this.at(read.path).showingAtTip(read.symbol)) : unknownCause;
  }

  causeOfWrite(path: TreePath): Cause {
    return causeOf(this.at(path).tip);
  }

  diffOfRead(): string {
    return '';
  }

  diffOfWrite(): string {
    return '';
  }

  regenerationOf(): null {
    return null;
  }

  matchesGlob(): boolean {
    return false;
  }
}

const fresh: Observation = { stale: false, now: null };

function causeOf({ landing, intent }: FileVersion): Cause {
  return landing === null ? unknownCause : { landing, intent: { id: intent, title: '' } };
}

/** A tree of a plan (TF1). */
export class NumberedTree implements PlanTree {
  readonly plan: number;
  readonly number: number;
  readonly #trunk: Trunk;

  constructor(trunk: Trunk, plan: number, number: number) {
    this.#trunk = trunk;
    this.plan = plan;
    this.number = number;
  }

  entry(path: TreePath): Entry | null {
    return this.#trunk.at(path).at(this.plan, this.number);
  }

  kind(path: TreePath): 'absent' | 'file' | 'directory' {
    return this.#trunk.isFile(path) ? 'file' : 'directory';
  }

  caseClash(): TreePath | null {
    return null;
  }

  with(changes: Changes): PlanTree {
    return this.#trunk.grow(this, changes);
  }
}

/** A tree that was tried and does not become trunk. */
class SideTree implements PlanTree {
  readonly #from: PlanTree;
  readonly #changes: Changes;

  constructor(from: PlanTree, changes: Changes) {
    this.#from = from;
    this.#changes = changes;
  }

  entry(path: TreePath): Entry | null {
    const change = this.#changes.findLast((other) => other.path === path);
    return change === undefined ? this.#from.entry(path) : change.entry;
  }

  kind(path: TreePath): 'absent' | 'file' | 'directory' {
    return this.#from.kind(path);
  }

  caseClash(path: TreePath): TreePath | null {
    return this.#from.caseClash(path);
  }

  with(changes: Changes): PlanTree {
    return new SideTree(this, changes);
  }
}
