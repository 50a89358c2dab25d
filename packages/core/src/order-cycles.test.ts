// Breaking cycles, against trying everything.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakCycles, type CyclicGraph, componentsOf, exactNodesMax } from './order-cycles.ts';

function isAcyclic(nodes: ReadonlySet<number>, later: CyclicGraph['later']): boolean {
  const left = new Set(nodes);
  for (let found = true; found; ) {
    found = false;
    for (const node of left) {
      if (later[node]?.some((target) => left.has(target))) continue;
      left.delete(node);
      found = true;
    }
  }
  return left.size === 0;
}

/** A graph without chains. */
function plain(later: CyclicGraph['later']): CyclicGraph {
  return { later, predecessor: later.map(() => -1) };
}

function graphs(nodesMax: number, withChains: boolean): fc.Arbitrary<CyclicGraph> {
  return fc
    .record({
      size: fc.integer({ min: 1, max: nodesMax }),
      edges: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: nodesMax * 3 }),
      chains: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: withChains ? nodesMax / 3 : 0 }),
    })
    .map(({ size, edges, chains }) => {
      const later = Array.from({ length: size }, () => new Set<number>());
      const predecessor: number[] = later.map(() => -1);
      for (const [from, to] of edges) if (from % size !== to % size) later[from % size]?.add(to % size);
      for (const [one, other] of chains) {
        const [part, node] = [Math.min(one % size, other % size), Math.max(one % size, other % size)];
        if (part !== node) predecessor[node] = part;
      }
      // A part reads what the one before it made, so no edge leads back along a chain.
      for (const node of predecessor.keys()) {
        for (let part = predecessor[node] as number; part >= 0; part = predecessor[part] as number) {
          later[node]?.delete(part);
        }
      }
      for (const [node, part] of predecessor.entries()) if (part >= 0) later[part]?.add(node);
      return { later: later.map((targets) => [...targets]), predecessor };
    });
}

/** Checks what holds whatever the size of the components. */
function expectSound(graph: CyclicGraph, out: readonly number[]): void {
  const left = new Set(out);
  const kept = new Set([...graph.later.keys()].filter((node) => !left.has(node)));
  expect(isAcyclic(kept, graph.later)).toBe(true);
  for (const node of kept) expect(left.has(graph.predecessor[node] as number)).toBe(false);
  const all = [...graph.later.keys()];
  for (const component of componentsOf(all, graph.later)) {
    const inside = new Set(component);
    const dragged = component.some((node) => {
      const part = graph.predecessor[node] as number;
      return left.has(part) && !inside.has(part);
    });
    if (!dragged) expect(component.some((node) => kept.has(node))).toBe(true);
  }
  for (const node of out) {
    if (left.has(graph.predecessor[node] as number)) continue;
    if (graph.predecessor.some((part, other) => part === node && left.has(other))) continue;
    expect(isAcyclic(new Set([...kept, node]), graph.later)).toBe(false);
  }
}

function bestByTrying(graph: CyclicGraph): readonly number[] {
  const size = graph.later.length;
  let best: readonly number[] | null = null;
  for (let mask = 0; mask < 1 << size; mask += 1) {
    const out = [...graph.later.keys()].filter((node) => (mask & (1 << node)) !== 0);
    if (best !== null && out.length > best.length) continue;
    if (!isAcyclic(new Set([...graph.later.keys()].filter((node) => !out.includes(node))), graph.later)) continue;
    if (best === null || out.length < best.length || isYounger(out, best)) best = out;
  }
  return best ?? [];
}

function isYounger(out: readonly number[], other: readonly number[]): boolean {
  const differing = out.findIndex((node, index) => node !== other[index]);
  return differing >= 0 && (out[differing] as number) > (other[differing] as number);
}

describe('breakCycles', () => {
  test('[OC4] the fewest are left out, and of equal choices the youngest', () => {
    fc.assert(
      fc.property(graphs(9, false), (graph) => {
        // Components do not influence each other without chains, so the best of the whole is the best of each.
        expect(breakCycles(graph)).toEqual(bestByTrying(graph));
      }),
      { numRuns: 300 },
    );
  });

  test('[OC1] [OC2] [OC3] [OC5] what stays is acyclic, whole chains, and as much as can stay', () => {
    fc.assert(
      fc.property(graphs(60, true), (graph) => expectSound(graph, breakCycles(graph))),
      { numRuns: 300 },
    );
  });

  test('[OC4] of two that read what the other writes, the younger goes', () => {
    expect(breakCycles(plain([[1], [0]]))).toEqual([1]);
  });

  test('[OC2] the later part of a chain goes with the earlier', () => {
    // 1 stands in a cycle with 0 and in one with 2, and 3 builds on it.
    const graph = { later: [[1], [0, 2, 3], [1], []], predecessor: [-1, -1, -1, 1] };
    expect(breakCycles(graph)).toEqual([1, 3]);
  });

  test('[OC4] the parts outside a cycle count when one that they build on would go', () => {
    // 0 and 1 stand in a cycle; 2 and 3 build on 1, so leaving out 0 costs less.
    const graph = { later: [[1], [0, 2], [3], []], predecessor: [-1, -1, 1, 2] };
    expect(breakCycles(graph)).toEqual([0]);
  });

  test('[OC5] one that reads and writes what all others do is left out alone, however many they are', () => {
    const size = exactNodesMax * 4;
    const others = Array.from({ length: size - 1 }, (_, index) => index + 1);
    const later = [others, ...others.map(() => [0])];
    expect(breakCycles(plain(later))).toEqual([0]);
  });

  test('[OC5] what was left out first stays when others that went after it leave no cycle for it', () => {
    // Six that all read what all write, six more, and one in between, which has the most ways through it.
    const between = 12;
    const older = [0, 1, 2, 3, 4, 5];
    const younger = [6, 7, 8, 9, 10, 11];
    const later = [
      ...older.map((node) => [...older.filter((other) => other !== node), between]),
      ...younger.map((node) => [...younger.filter((other) => other !== node), ...(node === 11 ? [0] : [])]),
      younger,
    ];
    expect(breakCycles(plain(later))).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11]);
  });

  test('[OC3] of many that all read what all write, the oldest stays', () => {
    const all = Array.from({ length: 40 }, (_, index) => index);
    const later = all.map((node) => all.filter((other) => other !== node));
    expect(breakCycles(plain(later))).toEqual(all.slice(1));
  });
});
