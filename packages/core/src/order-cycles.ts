// Which proposals to leave out so that the rest can be ordered: breaking the cycles of the order graph.
//
// Knows numbers and edges only. Nodes are numbered by age: a greater number is a younger proposal.
//
// Invariants:
//   OC1. Without the nodes left out, the graph has no cycle.
//   OC2. A part of a chain is left out with the part that it builds on, never the other way round.
//   OC3. Of every strongly connected component one node stays, unless all of it builds on what another one left out.
//   OC4. In a component of at most `exactNodesMax` nodes that no other one touched, the fewest are left out, counting
//        parts outside that build on them; of equal choices the one that keeps the oldest in which they differ.
//   OC5. In any component, no node that was left out could have stayed beside those that stayed (unless OC2 binds it).

/** The edges between nodes, and the part of the chain that each builds on (or -1). */
export interface CyclicGraph {
  readonly later: readonly (readonly number[])[];
  readonly predecessor: readonly number[];
}

/** Components up to this size are broken by trying every subset: 4,096 of them. */
export const exactNodesMax = 12;

interface Breaking extends CyclicGraph {
  /** Parts that build directly on a node. */
  readonly parts: readonly (readonly number[])[];
  readonly out: Uint8Array;
}

/** The nodes to leave out (OC1 to OC5), ascending. Total; the same graph gives the same answer. */
export function breakCycles(graph: CyclicGraph): readonly number[] {
  const parts: number[][] = graph.later.map(() => []);
  for (const [node, part] of graph.predecessor.entries()) if (part >= 0) parts[part]?.push(node);
  const breaking: Breaking = { ...graph, parts, out: new Uint8Array(graph.later.length) };
  breakWithin(
    graph.later.map((_, node) => node),
    breaking,
  );
  return [...breaking.out.entries()].filter(([, isOut]) => isOut === 1).map(([node]) => node);
}

function breakWithin(nodes: readonly number[], breaking: Breaking): void {
  for (const component of componentsOf(nodes, breaking.later)) {
    if (component.length < 2) continue;
    const live = component.filter((node) => breaking.out[node] === 0);
    if (live.length < component.length) {
      // A component before this one took some of it along; what is left may hang together less.
      breakWithin(live, breaking);
      continue;
    }
    const chosen = live.length <= exactNodesMax ? chooseExactly(live, breaking) : chooseGreedily(live, breaking);
    for (const node of chosen) leaveOut(node, breaking);
  }
}

function leaveOut(node: number, breaking: Breaking): void {
  if (breaking.out[node] === 1) return;
  breaking.out[node] = 1;
  for (const part of breaking.parts[node] as readonly number[]) leaveOut(part, breaking);
}

/**
 * Strongly connected components of the subgraph of `nodes`, each ascending, a component before those that it leads
 * to. Tarjan's algorithm with a stack of its own, since a cycle of proposals may be long.
 */
export function componentsOf(nodes: readonly number[], later: readonly (readonly number[])[]): readonly number[][] {
  const unseen = -1;
  const outside = -2;
  const index = new Int32Array(later.length).fill(outside);
  for (const node of nodes) index[node] = unseen;
  const low = new Int32Array(later.length);
  const isOpen = new Uint8Array(later.length);
  const open: number[] = [];
  const components: number[][] = [];
  let counter = 0;
  for (const root of nodes) {
    if (index[root] !== unseen) continue;
    const path: { node: number; next: number }[] = [];
    const enter = (node: number): void => {
      index[node] = counter;
      low[node] = counter;
      counter += 1;
      isOpen[node] = 1;
      open.push(node);
      path.push({ node, next: 0 });
    };
    enter(root);
    for (let frame = path.at(-1); frame !== undefined; frame = path.at(-1)) {
      const { node } = frame;
      const target = later[node]?.[frame.next];
      if (target !== undefined) {
        frame.next += 1;
        if (index[target] === unseen) enter(target);
        else if (isOpen[target] === 1) low[node] = Math.min(low[node] as number, index[target] as number);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent.node] = Math.min(low[parent.node] as number, low[node] as number);
      if (low[node] !== index[node]) continue;
      const component: number[] = [];
      for (let member = -1; member !== node; ) {
        member = open.pop() as number;
        isOpen[member] = 0;
        component.push(member);
      }
      components.push(component.sort((left, right) => left - right));
    }
  }
  return components.reverse();
}

/** How many proposals go when each node of the component goes: itself, and parts outside that build on it. */
function weighNodes(component: readonly number[], breaking: Breaking): number[] {
  const inside = new Set(component);
  const countOutside = (node: number): number => {
    let count = 0;
    for (const part of breaking.parts[node] as readonly number[]) {
      if (!inside.has(part) && breaking.out[part] === 0) count += 1 + countOutside(part);
    }
    return count;
  };
  return component.map((node) => 1 + countOutside(node));
}

/** Tries every subset that could stay, as a bit mask in which bit 0 is the oldest (OC4). */
function chooseExactly(component: readonly number[], breaking: Breaking): readonly number[] {
  const place = new Map(component.map((node, bit) => [node, bit]));
  const maskOf = (nodes: readonly number[]): number =>
    nodes.reduce((mask, node) => mask | (place.has(node) ? 1 << (place.get(node) as number) : 0), 0);
  const later = component.map((node) => maskOf(breaking.later[node] as readonly number[]));
  const needs = component.map((node) => maskOf([breaking.predecessor[node] as number]));
  const weights = weighNodes(component, breaking);
  const isAcyclic = new Uint8Array(1 << component.length);
  isAcyclic[0] = 1;
  let best = 0;
  let bestWeight = -1;
  for (let mask = 1; mask < isAcyclic.length; mask += 1) {
    let weight = 0;
    let isClosed = true;
    for (let bit = 0; bit < component.length; bit += 1) {
      if ((mask & (1 << bit)) === 0) continue;
      weight += weights[bit] as number;
      if (((needs[bit] as number) & ~mask) !== 0) isClosed = false;
      // Acyclic when some node leads to none of the others and the others are acyclic.
      if (((later[bit] as number) & mask) === 0 && isAcyclic[mask ^ (1 << bit)] === 1) isAcyclic[mask] = 1;
    }
    if (isAcyclic[mask] === 0 || !isClosed || weight < bestWeight) continue;
    if (weight > bestWeight || keepsOlder(mask, best)) {
      best = mask;
      bestWeight = weight;
    }
  }
  return component.filter((_, bit) => (best & (1 << bit)) === 0);
}

function keepsOlder(mask: number, other: number): boolean {
  const differing = mask ^ other;
  return (mask & differing & -differing) !== 0;
}

/**
 * For larger components: again and again, set aside what has no edge in or none out, since it is in no cycle, and
 * leave out the node with the most ways through it (edges in times edges out, for each proposal that goes with it;
 * the youngest of equals). Then, oldest first, take back whatever closes no cycle (OC5).
 */
function chooseGreedily(component: readonly number[], breaking: Breaking): readonly number[] {
  const core = new Core(component, breaking.later);
  const weights = new Map(weighNodes(component, breaking).map((weight, place) => [component[place] as number, weight]));
  const chosen = new Set<number>();
  const goesWith = (node: number): readonly number[] => {
    const inside = (breaking.parts[node] as readonly number[]).filter((part) => weights.has(part) && !chosen.has(part));
    return [node, ...inside.flatMap((part) => goesWith(part))];
  };
  for (let pick = core.pick(weights); pick >= 0; pick = core.pick(weights)) {
    for (const node of goesWith(pick)) {
      chosen.add(node);
      core.remove(node);
    }
  }
  for (const node of [...chosen].sort((left, right) => left - right)) {
    if (chosen.has(breaking.predecessor[node] as number)) continue;
    chosen.delete(node);
    if (reachesItself(node, breaking.later, (other) => weights.has(other) && !chosen.has(other))) chosen.add(node);
  }
  return [...chosen];
}

/** The part of a component that may still hold cycles, with the number of edges into and out of each node. */
class Core {
  readonly #later = new Map<number, readonly number[]>();
  readonly #earlier = new Map<number, number[]>();
  readonly #live = new Map<number, { into: number; outOf: number }>();

  constructor(component: readonly number[], later: readonly (readonly number[])[]) {
    for (const node of component) this.#earlier.set(node, []);
    for (const node of component) {
      const targets = (later[node] as readonly number[]).filter((target) => this.#earlier.has(target));
      this.#later.set(node, targets);
      for (const target of targets) this.#earlier.get(target)?.push(node);
    }
    for (const node of component) {
      const into = this.#earlier.get(node)?.length ?? 0;
      this.#live.set(node, { into, outOf: this.#later.get(node)?.length ?? 0 });
    }
  }

  /** The node to leave out next, or -1 when no cycle is left. */
  pick(weights: ReadonlyMap<number, number>): number {
    let best = -1;
    let bestScore = -1;
    for (const [node, { into, outOf }] of this.#live) {
      const score = (into * outOf) / (weights.get(node) as number);
      if (score < bestScore || (score === bestScore && node < best)) continue;
      best = node;
      bestScore = score;
    }
    return best;
  }

  /** Takes a node out, and with it all that is in no cycle any more. */
  remove(node: number): void {
    const leaving = [node];
    for (let gone = leaving.pop(); gone !== undefined; gone = leaving.pop()) {
      if (!this.#live.delete(gone)) continue;
      for (const target of this.#later.get(gone) as readonly number[]) {
        const degree = this.#live.get(target);
        if (degree === undefined) continue;
        degree.into -= 1;
        if (degree.into === 0) leaving.push(target);
      }
      for (const source of this.#earlier.get(gone) as readonly number[]) {
        const degree = this.#live.get(source);
        if (degree === undefined) continue;
        degree.outOf -= 1;
        if (degree.outOf === 0) leaving.push(source);
      }
    }
  }
}

function reachesItself(
  start: number,
  later: readonly (readonly number[])[],
  stays: (node: number) => boolean,
): boolean {
  const seen = new Set<number>();
  const ahead = [start];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    for (const target of later[node] as readonly number[]) {
      if (target === start) return true;
      if (seen.has(target) || !stays(target)) continue;
      seen.add(target);
      ahead.push(target);
    }
  }
  return false;
}
