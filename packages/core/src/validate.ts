// Whether one proposal may land on one tree: its reads must show what they showed, its writes must fit.
//
// Judges one proposal against one tree. Knows nothing of the rest of the cycle, of causes, or of bytes.
//
// Invariants:
//   VA1. Every declared write gets exactly one judgement: unchanged, accepted or conflicting (L7).
//   VA2. A verdict names all stale reads and all conflicting writes, not only the first.
//   VA3. A proposal with nothing to write changes nothing, so it ends `unchanged` whatever it read.

import { assert, never, type TreePath } from '@firetrident/base';
import type { ConflictKind, Entry, Proposal, ResolvedRead, ResolvedWrite } from './model.ts';
import { isSameEntry } from './order-age.ts';
import { isOwnWrite } from './order-graph.ts';
import type { Observation, PlanFacts, PlannedLanding, PlanTree } from './plan-port.ts';

/** What validation asks: merges, and what a read shows in a tree (asked for reads of the proposal judged only). */
export interface ValidationFacts {
  readonly merge: PlanFacts['merge'];
  readonly observe: (tree: PlanTree, read: ResolvedRead) => Observation;
  readonly strict: (path: TreePath) => boolean;
}

export type AcceptedWrite = PlannedLanding['writes'][number];

export interface MovedRead {
  readonly read: ResolvedRead;
  readonly now: string | null;
}

/** A write that does not fit. `clash` is the other path that stands in its way, where there is one. */
export interface UnfitWrite {
  readonly write: ResolvedWrite;
  readonly kind: ConflictKind;
  readonly clash: TreePath | null;
}

export type Verdict =
  | {
      readonly kind: 'fits';
      readonly writes: readonly AcceptedWrite[];
      readonly merged: readonly TreePath[];
      readonly unchanged: readonly TreePath[];
      /** The tree with the proposal on it. */
      readonly tree: PlanTree;
    }
  | { readonly kind: 'unchanged'; readonly unchanged: readonly TreePath[] }
  | { readonly kind: 'unfit'; readonly reads: readonly MovedRead[]; readonly writes: readonly UnfitWrite[] };

/** Judges a proposal against a tree (V1, V2). */
export function validate(proposal: Proposal, tree: PlanTree, facts: ValidationFacts): Verdict {
  const judged = judgeWrites(proposal, tree, facts);
  // Nothing to write, nothing that its reads could spoil (VA3).
  if (judged.accepted.length === 0 && judged.unfit.length === 0) {
    return { kind: 'unchanged', unchanged: judged.unchanged };
  }
  const reads = movedReads(proposal, tree, facts);
  if (reads.length > 0 || judged.unfit.length > 0) return { kind: 'unfit', reads, writes: judged.unfit };
  return {
    kind: 'fits',
    writes: judged.accepted,
    merged: judged.accepted.filter((write) => write.merge !== null).map((write) => write.path),
    unchanged: judged.unchanged,
    tree: treeWith(tree, judged.accepted),
  };
}

/** The reads that show something else in `tree` than they did (V1). Reads of paths that it writes are left to V2. */
export function movedReads(proposal: Proposal, tree: PlanTree, facts: ValidationFacts): readonly MovedRead[] {
  const written = new Set(proposal.writes.map((write) => write.path));
  const moved: MovedRead[] = [];
  for (const read of proposal.reads) {
    if (isOwnWrite(read, written)) continue;
    const { stale, now } = facts.observe(tree, read);
    if (stale) moved.push({ read, now });
  }
  return moved;
}

interface JudgedWrites {
  readonly accepted: readonly AcceptedWrite[];
  readonly unchanged: readonly TreePath[];
  readonly unfit: readonly UnfitWrite[];
}

type Judgement =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'accepted'; readonly write: AcceptedWrite }
  | { readonly kind: 'unfit'; readonly conflict: ConflictKind; readonly clash: TreePath | null };

function judgeWrites(proposal: Proposal, tree: PlanTree, facts: ValidationFacts): JudgedWrites {
  const room = new Room(proposal.writes, tree);
  const accepted: AcceptedWrite[] = [];
  const unchanged: TreePath[] = [];
  const unfit: UnfitWrite[] = [];
  for (const write of proposal.writes) {
    const judgement = judgeWrite(write, tree, room, facts);
    // One arm for each write (VA1).
    switch (judgement.kind) {
      case 'unchanged':
        unchanged.push(write.path);
        break;
      case 'accepted':
        accepted.push(judgement.write);
        break;
      case 'unfit':
        unfit.push({ write, kind: judgement.conflict, clash: judgement.clash });
        break;
      default:
        never(judgement);
    }
  }
  return { accepted, unchanged, unfit };
}

/** The tree with the accepted writes. Deletes go first: a file may make way for a folder, or the other way round. */
function treeWith(tree: PlanTree, accepted: readonly AcceptedWrite[]): PlanTree {
  const deletes = accepted.filter((write) => write.after === null);
  const puts = accepted.filter((write) => write.after !== null);
  return tree.with([...deletes, ...puts].map(({ path, after }) => ({ path, entry: after })));
}

/** V2 for one path. */
function judgeWrite(write: ResolvedWrite, tree: PlanTree, room: Room, facts: ValidationFacts): Judgement {
  const { path, base, after } = write;
  if (isSameEntry(after, base)) return { kind: 'unchanged' };
  const running = tree.entry(path);
  if (isSameEntry(after, running)) return { kind: 'unchanged' };
  if (after !== null) {
    const inTheWay = room.clash(path);
    if (inTheWay !== null) return { kind: 'unfit', conflict: 'file/directory', clash: inTheWay };
    const twin = running === null ? room.caseClash(path) : null;
    if (twin !== null) return { kind: 'unfit', conflict: 'case', clash: twin };
  }
  if (isSameEntry(base, running)) return accept(path, running, after, null);
  if (base !== null && (running === null || after === null)) {
    return { kind: 'unfit', conflict: 'delete/edit', clash: null };
  }
  return judgeMerge(write, running, facts);
}

function judgeMerge(write: ResolvedWrite, running: Entry | null, facts: ValidationFacts): Judgement {
  const { path, base, after } = write;
  const fact = facts.merge(path, base, running, after);
  switch (fact.kind) {
    case 'conflict':
      return { kind: 'unfit', conflict: fact.conflict, clash: null };
    case 'same':
      if (isSameEntry(fact.entry, running)) return { kind: 'unchanged' };
      // One side's content under the other's mode is a merge all the same.
      if (!isSameEntry(fact.entry, after) && facts.strict(path)) return strict;
      return accept(path, running, fact.entry, null);
    case 'merged':
      if (isSameEntry(fact.entry, running)) return { kind: 'unchanged' };
      if (facts.strict(path)) return strict;
      assert(after !== null, `a merge of ${path} has a proposal`);
      return accept(path, running, fact.entry, { base, theirs: after, proof: fact.proof });
    default:
      return never(fact);
  }
}

const strict: Judgement = { kind: 'unfit', conflict: 'strict', clash: null };

function accept(path: TreePath, before: Entry | null, after: Entry | null, merge: AcceptedWrite['merge']): Judgement {
  return { kind: 'accepted', write: { path, before, after, merge } };
}

/** Where a proposal finds room for files: the tree after its deletes, and the other files that it puts itself. */
class Room {
  readonly #cleared: PlanTree;
  readonly #puts: ReadonlySet<TreePath>;
  /** Folders that its files need, each with one of them. */
  readonly #folders = new Map<TreePath, TreePath>();
  /** Files and folders that it needs, in their first spelling, by their folder and the lower case of their name. */
  readonly #spellings = new Map<string, TreePath>();

  constructor(writes: readonly ResolvedWrite[], tree: PlanTree) {
    const effective = writes.filter((write) => !isSameEntry(write.base, write.after));
    const deletes = effective.filter((write) => write.after === null && tree.entry(write.path) !== null);
    const puts = effective.filter((write) => write.after !== null).map((write) => write.path);
    const isCleared = deletes.length > 0 && puts.length > 0;
    this.#cleared = isCleared ? tree.with(deletes.map(({ path }) => ({ path, entry: null }))) : tree;
    this.#puts = new Set(puts);
    // A single file is at odds with no other of the proposal.
    if (puts.length < 2) return;
    for (const path of puts) {
      for (const folder of foldersAbove(path)) {
        this.#folders.set(folder, path);
        this.#spell(folder);
      }
      this.#spell(path);
    }
  }

  #spell(path: TreePath): void {
    const key = foldedName(path);
    if (!this.#spellings.has(key)) this.#spellings.set(key, path);
  }

  /** The file that stands where the path needs a folder, or the folder that stands where it needs a file. */
  clash(path: TreePath): TreePath | null {
    for (const folder of foldersAbove(path)) {
      if (this.#cleared.kind(folder) === 'file' || this.#puts.has(folder)) return folder;
    }
    if (this.#cleared.kind(path) === 'directory') return path;
    return this.#folders.get(path) ?? null;
  }

  /** What a path that is new would be confused with where case does not count. */
  caseClash(path: TreePath): TreePath | null {
    const clash = this.#cleared.caseClash(path);
    if (clash !== null) return clash;
    for (const needed of [...foldersAbove(path), path]) {
      const spelling = this.#spellings.get(foldedName(needed)) ?? needed;
      if (spelling !== needed && this.#cleared.kind(needed) === 'absent') return spelling;
    }
    return null;
  }
}

function foldedName(path: TreePath): string {
  const slash = path.lastIndexOf('/') + 1;
  return path.slice(0, slash) + path.slice(slash).toLowerCase();
}

function* foldersAbove(path: TreePath): Generator<TreePath> {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) yield path.slice(0, slash);
}
