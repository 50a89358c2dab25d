// The facts that planning asks for, from trees, blobs and the history of landings.

import type { Oid, TreePath } from '@firetrident/base';
import { compileGlob, globRoot, mergeByRule, mergeEntries, unifiedDiff } from '@firetrident/content';
import {
  type Cause,
  type Entry,
  type MergeFact,
  type MergeRuleName,
  type Observation,
  type PlanFacts,
  type PlanTree,
  type ResolvedRead,
  VerdictMemory,
} from '@firetrident/core';
import type { MergeWitness, RuleWitness, Tree } from '@firetrident/trunk';
import type { Materials } from './materials.ts';
import type { PathRule } from './merge-rule.ts';
import { isFile, type Observer } from './observe.ts';
import type { HistoryLanding, PathHistory, Touch } from './path-history.ts';

/** Bytes of one diff in a brief. */
const diffLimitBytes = 4_096;

/** Landings that are looked at for the cause of one read. */
const looksAtMost = 64;

/** What a brief says of a landing that is no longer remembered. */
const unknownCause: Cause = { landing: null, intent: { id: null, title: 'a landing older than what is remembered' } };

/** Merges that are remembered beyond their cycle, and the most bytes that one of them may have made: 32 MiB in all. */
const rememberedMerges = 512;
const rememberedMergeBytes = 65_536;

/** A merge with the bytes that it made; null when it made none. */
interface MergeVerdict {
  readonly fact: MergeFact;
  readonly bytes: Uint8Array | null;
}

/** Merges by path, rule and entries, for one cycle after another (V5). */
export class MergeMemory extends VerdictMemory<MergeVerdict> {
  constructor() {
    super(rememberedMerges);
  }
}

/** What the verifier needs of a merge. */
export interface MergeProof {
  readonly witness: MergeWitness | RuleWitness;
}

export class RoomFacts implements PlanFacts {
  readonly tip: Tree;
  readonly #materials: Materials;
  readonly #observer: Observer;
  readonly #history: PathHistory;
  readonly #blobHash: (bytes: Uint8Array) => Oid;
  readonly #treeAt: (commit: Oid) => Tree | null;
  readonly #ruleOf: (path: TreePath) => PathRule;
  readonly #remembered: MergeMemory;
  readonly #merges = new Map<string, MergeFact>();
  readonly #matchers = new Map<string, (path: TreePath) => boolean>();

  constructor(
    tip: Tree,
    materials: Materials,
    observer: Observer,
    history: PathHistory,
    blobHash: (bytes: Uint8Array) => Oid,
    treeAt: (commit: Oid) => Tree | null,
    ruleOf: (path: TreePath) => PathRule,
    remembered: MergeMemory,
  ) {
    this.tip = tip;
    this.#materials = materials;
    this.#observer = observer;
    this.#history = history;
    this.#blobHash = blobHash;
    this.#treeAt = treeAt;
    this.#ruleOf = ruleOf;
    this.#remembered = remembered;
  }

  /** Remembered within the cycle, where a proposal that does not fit is judged twice, and beyond it unless it is large. */
  merge(path: TreePath, base: Entry | null, ours: Entry | null, theirs: Entry | null): MergeFact {
    const rule = this.#ruleOf(path).merge;
    const sides = [base, ours, theirs].map((side) => (side === null ? '' : `${side.mode} ${side.oid}`));
    const key = [path, rule ?? '', ...sides].join('\0');
    const known = this.#merges.get(key);
    if (known !== undefined) return known;
    const { fact, bytes } = this.#remembered.verdict(
      key,
      () => '',
      () => {
        const { isCertain, ...verdict } = this.#merge(path, rule, base, ours, theirs);
        return { verdict, isCertain: isCertain && (verdict.bytes?.length ?? 0) <= rememberedMergeBytes };
      },
    );
    if (fact.kind === 'merged' && bytes !== null) this.#materials.make(fact.entry.oid, bytes);
    this.#merges.set(key, fact);
    return fact;
  }

  #merge(
    path: TreePath,
    rule: MergeRuleName | null,
    base: Entry | null,
    ours: Entry | null,
    theirs: Entry | null,
  ): MergeVerdict & { readonly isCertain: boolean } {
    const read = (oid: Oid) => this.#materials.bytes(oid);
    const merged = mergeEntries(base, ours, theirs, read, (...sides) =>
      rule === null ? null : mergeByRule(rule, path, ...sides),
    );
    switch (merged.kind) {
      case 'same':
        return { fact: { kind: 'same', entry: merged.entry }, bytes: null, isCertain: true };
      case 'conflict':
        return { fact: { kind: 'conflict', conflict: merged.conflict }, bytes: null, isCertain: true };
      case 'merged': {
        const { mode, bytes, witness } = merged;
        const oid = this.#blobHash(bytes);
        this.#materials.make(oid, bytes);
        const parsing = this.#parsing(path, [base, ours, theirs], oid);
        if (parsing === 'broken')
          return { fact: { kind: 'conflict', conflict: 'parse' }, bytes: null, isCertain: true };
        const proof: MergeProof = { witness };
        return { fact: { kind: 'merged', entry: { mode, oid }, proof }, bytes, isCertain: parsing !== 'unknown' };
      }
    }
  }

  observe(tree: PlanTree, read: ResolvedRead): Observation {
    return this.#observer.observe(tree as Tree, read);
  }

  causeOfRead(read: ResolvedRead): Cause {
    switch (read.kind) {
      case 'dir':
        return causeOf(this.#movedBy(read, this.#history.changesBelow(read.path, read.at)));
      case 'glob':
        return causeOf(
          this.#history.newestChangeBelow(globRoot(read.glob), read.at, (path) => this.matchesGlob(read.glob, path)),
        );
      case 'file':
      case 'lines':
        return causeOf(movedAway(this.#history.touches(read.path), (entry) => (entry?.oid ?? null) === read.basis));
      case 'symbol':
        return causeOf(this.#causeOfSymbol(read));
    }
  }

  causeOfWrite(path: TreePath, base: Entry | null): Cause {
    const own = movedAway(
      this.#history.touches(path),
      (entry) => entry?.oid === base?.oid && entry?.mode === base?.mode,
    );
    if (own !== null) return causeOf(own);
    // A clash of file and folder: whoever made what stands in the way.
    for (let folder = path; folder.includes('/'); ) {
      folder = folder.slice(0, folder.lastIndexOf('/'));
      const above = this.#history.touches(folder)[0];
      if (above !== undefined) return causeOf(above.by);
    }
    return causeOf(this.#history.newestChangeBelow(path, '', () => true));
  }

  diffOfRead(tree: PlanTree, read: ResolvedRead): string {
    if (read.kind === 'dir' || read.kind === 'glob') return '';
    const now = (tree as Tree).entry(read.path);
    const before = this.#blobOfRead(read);
    if (before === undefined) return '';
    const options = { path: read.path, contextLines: 3, limitBytes: diffLimitBytes };
    const range = read.kind === 'lines' ? { onlyRange: { from: read.from, to: read.to } } : {};
    return unifiedDiff(this.#textOf(before), this.#textOf(now?.oid ?? null), { ...options, ...range });
  }

  diffOfWrite(path: TreePath, base: Entry | null, tip: Entry | null): string {
    const options = { path, contextLines: 3, limitBytes: diffLimitBytes };
    return unifiedDiff(this.#textOf(base?.oid ?? null), this.#textOf(tip?.oid ?? null), options);
  }

  regenerationOf(path: TreePath): string | null {
    return this.#ruleOf(path).regenerate;
  }

  matchesGlob(glob: string, path: TreePath): boolean {
    let matcher = this.#matchers.get(glob);
    if (matcher === undefined) {
      matcher = compileGlob(glob);
      this.#matchers.set(glob, matcher);
    }
    return matcher(path);
  }

  /** Who changed the file that a symbol is named in, else the file from which it comes. */
  #causeOfSymbol(read: Extract<ResolvedRead, { kind: 'symbol' }>): HistoryLanding | null {
    const touches = this.#history.touches(read.path);
    const moved = movedTouch(touches, (entry) => this.#symbolBasis(read, entry) === read.basis);
    return moved?.by ?? this.#movedBy(read, this.#history.after(read.at)) ?? touches[0]?.by ?? null;
  }

  /** The newest of the landings, newest first, before which a read showed its basis and after which it did not. */
  #movedBy(read: ResolvedRead, landings: Iterable<HistoryLanding>): HistoryLanding | null {
    let looks = 0;
    for (const landing of landings) {
      if (looks === looksAtMost) break;
      looks += 1;
      const before = this.#treeAt(this.#history.commitBefore(landing) ?? read.at);
      const after = this.#treeAt(landing.commit);
      if (before === null || after === null) continue;
      if (!this.#observer.observe(before, read).stale && this.#observer.observe(after, read).stale) return landing;
    }
    return null;
  }

  #symbolBasis(read: Extract<ResolvedRead, { kind: 'symbol' }>, entry: Entry | null): string {
    if (entry === null) return 'absent';
    if (!isFile(entry)) return `file:${entry.oid}`;
    return this.#observer.symbol(this.tip.with([{ path: read.path, entry }]), read.path, read.symbol, read.signature);
  }

  /** The blob that a read saw; null when it saw none, undefined when that is not known. */
  #blobOfRead(read: Exclude<ResolvedRead, { kind: 'dir' | 'glob' }>): Oid | null | undefined {
    if (read.kind !== 'symbol') return read.basis;
    const moved = movedTouch(
      this.#history.touches(read.path),
      (entry) => this.#symbolBasis(read, entry) === read.basis,
    );
    return moved === null ? undefined : (moved.before?.oid ?? null);
  }

  #textOf(oid: Oid | null): Uint8Array | null {
    return oid === null ? null : this.#materials.bytesOrNull(oid);
  }

  /** V2: a merge of files that parsed must parse. A text beyond the parser's limits is not known to be broken. */
  #parsing(path: TreePath, sides: readonly (Entry | null)[], merged: Oid): 'whole' | 'broken' | 'unknown' {
    if (!this.#materials.parser.knows(path)) return 'whole';
    const module = this.#materials.module(path, merged);
    if (module === null || module.ok) return 'whole';
    if (module.reason !== 'syntax') return 'unknown';
    const present = sides.filter((side) => side !== null).map((side) => this.#materials.module(path, side.oid));
    if (present.some((side) => side?.ok === false && side.reason === 'limit')) return 'unknown';
    return present.every((side) => side?.ok === true) ? 'broken' : 'whole';
  }
}

/** The landing that moved a path away from what `isBasis` recognises: the newest one that found it so. */
function movedAway(touches: readonly Touch[], isBasis: (entry: Entry | null) => boolean): HistoryLanding | null {
  return (movedTouch(touches, isBasis) ?? touches[0])?.by ?? null;
}

function movedTouch(touches: readonly Touch[], isBasis: (entry: Entry | null) => boolean): Touch | null {
  return touches.find((touch) => isBasis(touch.before) && !isBasis(touch.after)) ?? null;
}

function causeOf(landing: HistoryLanding | null): Cause {
  return landing === null ? unknownCause : { landing: landing.landing, intent: landing.intent };
}
