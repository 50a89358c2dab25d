// Which proposals of a cycle must land before which: the graph of the order.
//
// Sees the set of proposals and the kinds of folders at the tip; never bytes, never what a merge would give.
//
// Invariants:
//   OG1. An edge A → B stands for "A reads something that B may change" or "B builds on A", never for anything else.
//   OG2. Doubt adds an edge: whatever the landings of this cycle can change about a read, its writer has the edge.
//   OG3. No edge leads from a part of a chain to one that it builds on: it reads what that part made.
//   OG4. Nodes are numbered by age, so the graph does not depend on the order of arrival.

import { assert, folderOf, type ProposalId, type TreePath } from '@firetrident/base';
import type { Proposal, ResolvedRead, ResolvedWrite } from './model.ts';
import { compareAge, isSameEntry } from './order-age.ts';
import type { PlanFacts, PlanTree } from './plan-port.ts';

/** Proposals, oldest first, and by node: those that must land later, and the part of the chain it builds on (or -1). */
export interface OrderGraph {
  readonly nodes: readonly Proposal[];
  readonly later: readonly (readonly number[])[];
  readonly predecessor: readonly number[];
}

/** What ordering asks of the facts. */
export type OrderFacts = Pick<PlanFacts, 'tip' | 'matchesGlob'>;

function changesKind(write: ResolvedWrite): boolean {
  return write.base?.mode !== write.after?.mode;
}

function changesMembership(write: ResolvedWrite): boolean {
  return (write.base === null) !== (write.after === null);
}

/** Tells which folders may appear or vanish while the cycle lands, whoever comes first. */
class FolderDoubt {
  readonly #tip: PlanTree;
  readonly #stripped: PlanTree;
  readonly #known = new Map<TreePath, boolean>();

  constructor(tip: PlanTree, nodes: readonly Proposal[]) {
    const deletes = new Set<TreePath>();
    for (const proposal of nodes) {
      for (const write of proposal.writes) {
        if (write.after === null && tip.entry(write.path) !== null) deletes.add(write.path);
      }
    }
    this.#tip = tip;
    this.#stripped = deletes.size === 0 ? tip : tip.with([...deletes].map((path) => ({ path, entry: null })));
  }

  mayChange(folder: TreePath): boolean {
    let answer = this.#known.get(folder);
    if (answer === undefined) {
      answer = this.#tip.kind(folder) !== 'directory' || this.#stripped.kind(folder) !== 'directory';
      this.#known.set(folder, answer);
    }
    return answer;
  }
}

/** Nodes by the thing that they may change. Each list is ascending and has a node once. */
class Writers {
  readonly byPath = new Map<TreePath, number[]>();
  readonly byListing = new Map<TreePath, number[]>();
  readonly #byMember = new Map<TreePath, number[]>();
  readonly #byGlob = new Map<string, readonly number[]>();
  readonly #facts: OrderFacts;
  #members: TreePath[] | null = null;

  constructor(nodes: readonly Proposal[], facts: OrderFacts) {
    this.#facts = facts;
    const doubt = new FolderDoubt(facts.tip, nodes);
    for (const [node, proposal] of nodes.entries()) {
      for (const write of proposal.writes) {
        if (!isSameEntry(write.base, write.after)) this.#add(node, write, doubt);
      }
    }
  }

  #add(node: number, write: ResolvedWrite, doubt: FolderDoubt): void {
    note(this.byPath, write.path, node);
    if (!changesKind(write)) return;
    let folder = folderOf(write.path);
    note(this.byListing, folder, node);
    // The first file below a folder makes it, the last one gone takes it away (OG2).
    while (folder !== '' && doubt.mayChange(folder)) {
      folder = folderOf(folder);
      note(this.byListing, folder, node);
    }
    if (changesMembership(write)) note(this.#byMember, write.path, node);
  }

  /** Nodes that create or delete a path which the glob matches. */
  ofGlob(glob: string): readonly number[] {
    let nodes = this.#byGlob.get(glob);
    if (nodes === undefined) {
      const found = new Set<number>();
      for (const path of this.#membersFrom(literalPrefix(glob))) {
        if (this.#facts.matchesGlob(glob, path)) for (const node of this.#byMember.get(path) ?? []) found.add(node);
      }
      nodes = [...found].sort((left, right) => left - right);
      this.#byGlob.set(glob, nodes);
    }
    return nodes;
  }

  *#membersFrom(prefix: string): Generator<TreePath> {
    this.#members ??= [...this.#byMember.keys()].sort();
    const members = this.#members;
    let low = 0;
    for (let high = members.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((members[middle] as string) < prefix) low = middle + 1;
      else high = middle;
    }
    for (; low < members.length && (members[low] as string).startsWith(prefix); low += 1) yield members[low] as string;
  }
}

function note<K>(index: Map<K, number[]>, key: K, node: number): void {
  const nodes = index.get(key);
  if (nodes === undefined) index.set(key, [node]);
  else if (nodes[nodes.length - 1] !== node) nodes.push(node);
}

/** The folders that every match of a glob lies below: its segments before the first that may hold a special character. */
export function literalPrefix(glob: string): string {
  const meaning = glob.search(/[^\p{L}\p{N}/ ._-]/u);
  const literal = meaning < 0 ? glob : glob.slice(0, meaning);
  const prefix = literal.slice(0, literal.lastIndexOf('/') + 1);
  // An anchor or a "." segment is for the matcher to read, so such a glob narrows nothing here.
  return /(?:^|\/)\.{0,2}\//.test(prefix) ? '' : prefix;
}

/** Whether the proposal itself writes what the read names; then the write alone is validated (V2). */
export function isOwnWrite(read: ResolvedRead, written: ReadonlySet<TreePath>): boolean {
  return read.kind !== 'dir' && read.kind !== 'glob' && written.has(read.path);
}

function writersOf(read: ResolvedRead, writers: Writers): readonly number[] {
  switch (read.kind) {
    case 'file':
    case 'symbol':
    case 'lines':
      return writers.byPath.get(read.path) ?? [];
    case 'dir':
      return writers.byListing.get(read.path) ?? [];
    case 'glob':
      return writers.ofGlob(read.glob);
  }
}

function linkChains(nodes: readonly Proposal[]): number[] {
  const nodeOf = new Map<ProposalId, number>(nodes.map((proposal, node) => [proposal.id, node]));
  return nodes.map((proposal, node) => {
    const predecessor = proposal.predecessor === null ? undefined : nodeOf.get(proposal.predecessor);
    if (predecessor === undefined) return -1;
    assert(predecessor < node, `${proposal.id} is younger than the part that it builds on`);
    return predecessor;
  });
}

function buildsOn(node: number, other: number, predecessor: readonly number[]): boolean {
  let part = node;
  while (part > other) part = predecessor[part] as number;
  return part === other;
}

/** Builds the graph of a set of proposals (O1, O3). Cost: reads and writes, plus one step per edge. */
export function buildOrderGraph(proposals: readonly Proposal[], facts: OrderFacts): OrderGraph {
  // (OG4)
  const nodes = [...proposals].sort(compareAge);
  const predecessor = linkChains(nodes);
  const writers = new Writers(nodes, facts);
  const later: number[][] = nodes.map(() => []);
  for (const [node, part] of predecessor.entries()) if (part >= 0) later[part]?.push(node);
  const seenFrom = new Int32Array(nodes.length).fill(-1);
  for (const [node, proposal] of nodes.entries()) {
    seenFrom[node] = node;
    for (const successor of later[node] as number[]) seenFrom[successor] = node;
    const written = new Set(proposal.writes.map((write) => write.path));
    for (const read of proposal.reads) {
      if (isOwnWrite(read, written)) continue;
      for (const writer of writersOf(read, writers)) {
        if (seenFrom[writer] === node) continue;
        seenFrom[writer] = node;
        // (OG1, OG3)
        if (!buildsOn(node, writer, predecessor)) later[node]?.push(writer);
      }
    }
  }
  return { nodes, later, predecessor };
}
