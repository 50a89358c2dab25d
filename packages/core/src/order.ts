// The order in which the proposals of one cycle land.
//
// Decides order and nothing else: whether a proposal may land at its turn is validated afterwards.
//
// Invariants (O1 to O3):
//   OR1. A proposal stands before every other that may change what it read.
//   OR2. The same set gives the same order, in whatever sequence it arrived.
//   OR3. A part of a chain stands after the part that it builds on, and is deferred with it.
//   OR4. Where nothing else binds, the older stands first; so do the writers of one path.

import { Heap } from '@firetrident/base';
import type { Proposal } from './model.ts';
import { breakCycles } from './order-cycles.ts';
import { buildOrderGraph, type OrderFacts, type OrderGraph } from './order-graph.ts';

/** Proposals in the order of their landing, and those left to the next cycle because they stood in a cycle of reads. */
export interface CycleOrder {
  readonly order: readonly Proposal[];
  readonly deferred: readonly Proposal[];
}

/** Orders a set of proposals against the tip that they land on (O1, O2, O3; OR1, OR3). */
export function orderProposals(proposals: readonly Proposal[], facts: OrderFacts): CycleOrder {
  const graph = buildOrderGraph(proposals, facts);
  const deferred = breakCycles(graph);
  return {
    order: sortGraph(graph, new Set(deferred)),
    deferred: deferred.map((node) => graph.nodes[node] as Proposal),
  };
}

function sortGraph(graph: OrderGraph, deferred: ReadonlySet<number>): readonly Proposal[] {
  const waitsFor = new Int32Array(graph.nodes.length);
  for (const [node, targets] of graph.later.entries()) {
    if (deferred.has(node)) continue;
    for (const target of targets) waitsFor[target] = (waitsFor[target] as number) + 1;
  }
  // Of those that wait for none, the oldest (OR2, OR4).
  const ready = new Heap<number>((left, right) => left - right);
  for (const node of graph.nodes.keys()) if (!deferred.has(node) && waitsFor[node] === 0) ready.push(node);
  const order: Proposal[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    order.push(graph.nodes[node] as Proposal);
    for (const target of graph.later[node] as readonly number[]) {
      waitsFor[target] = (waitsFor[target] as number) - 1;
      if (waitsFor[target] === 0 && !deferred.has(target)) ready.push(target);
    }
  }
  return order;
}
