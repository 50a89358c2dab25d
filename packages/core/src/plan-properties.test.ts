// What holds of every plan, over random colonies: drift between base and tip, all kinds of reads and writes, chains,
// clashes of file and folder and of case.

import { composeId, defined, type ProposalId } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeFacts, type FakeQuery } from './fake-facts.ts';
import { fakeCycle, fakeProposal } from './fake-facts-proposal.ts';
import type { FakeTree } from './fake-facts-tree.ts';
import type { Entry, Proposal, ResolvedRead } from './model.ts';
import { deferReasons, plan } from './plan.ts';
import type { Plan, PlanInput, PlannedLanding } from './plan-port.ts';
import { validate } from './validate.ts';

const paths = ['a/1', 'a/2', 'a/3', 'b/1', 'b/c/1', 'b/c/2', 'b/d/1', 'd', 'D', 'e', 'e/x', 'run'];
const startPaths = ['a/1', 'a/2', 'b/1', 'b/c/1', 'b/d/1', 'd', 'run'];
const queries: readonly FakeQuery[] = [
  ...paths.map((path) => ({ path })),
  ...['', 'a', 'b', 'b/c', 'e'].map((folder) => ({ dir: folder })),
  ...['a/*', '**/1', 'b/**', 'e*'].map((glob) => ({ glob })),
  { path: 'a/1', symbol: 'one' },
  { path: 'b/1', lines: [1, 1] },
];

interface WriteSpec {
  readonly path: number;
  readonly change: 'first' | 'second' | 'delete' | 'nothing' | 'mode';
  readonly value: number;
}

interface ProposalSpec {
  readonly writes: readonly WriteSpec[];
  readonly reads: readonly { readonly query: number; readonly atTip: boolean }[];
  readonly builds: number | null;
}

const writeSpec: fc.Arbitrary<WriteSpec> = fc.record({
  path: fc.nat(paths.length - 1),
  change: fc.constantFrom('first', 'first', 'second', 'delete', 'nothing', 'mode'),
  value: fc.nat(2),
});
const proposalSpec: fc.Arbitrary<ProposalSpec> = fc.record({
  writes: fc.uniqueArray(writeSpec, { maxLength: 3, selector: ({ path }) => path }),
  reads: fc.array(fc.record({ query: fc.nat(queries.length - 1), atTip: fc.boolean() }), { maxLength: 3 }),
  builds: fc.option(fc.nat(4), { freq: 4 }),
});

interface World {
  readonly facts: FakeFacts;
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly byId: ReadonlyMap<ProposalId, Proposal>;
}

function changed(facts: FakeFacts, entry: Entry | null, { change, value }: WriteSpec): Entry | null {
  const parts = (entry && facts.contents.get(entry.oid)?.parts) ?? { 1: 'new', one: 'new' };
  const mode = entry?.mode ?? '100644';
  switch (change) {
    case 'first':
      return facts.file({ parts: { ...parts, 1: `v${value}` } }, mode);
    case 'second':
      return facts.file({ parts: { ...parts, one: `w${value}` } }, mode);
    case 'delete':
      return null;
    case 'nothing':
      return entry;
    case 'mode':
      return facts.file({ parts }, mode === '100644' ? '100755' : '100644');
  }
}

function build(drift: readonly ProposalSpec[], specs: readonly ProposalSpec[], odd: readonly number[]): World {
  const facts = new FakeFacts();
  const start = startPaths.map((path) => ({ path, before: null, after: facts.file({ 1: path, one: path }) }));
  facts.record({ landing: 'lnd_start', proposal: fakeProposal({ id: 'prp_start' }), title: 'start' }, start);
  const base = facts.tip;
  for (const { writes } of propose(facts, base, base, drift, 0)) {
    const verdict = validate(fakeProposal({ id: 'prp_drift', writes }), facts.tip, {
      merge: facts.merge.bind(facts),
      observe: facts.observe.bind(facts),
      strict: () => false,
    });
    if (verdict.kind !== 'fits') continue;
    facts.record({ landing: 'lnd_drift', proposal: fakeProposal({ id: 'prp_drift' }), title: 'drift' }, verdict.writes);
  }
  const proposals = propose(facts, base, facts.tip, specs, 1);
  const quarantined = new Map(odd.flatMap((place) => (proposals[place] ? [[proposals[place].id, 'odd']] : [])));
  const input = fakeCycle(proposals, { quarantined, strict: (path) => path === 'run' });
  return { facts, input, plan: plan(input, facts), byId: new Map(proposals.map((each) => [each.id, each])) };
}

/** Proposals as agents make them: on the base, or on what an earlier part of their chain left. */
function propose(
  facts: FakeFacts,
  base: FakeTree,
  tip: FakeTree,
  specs: readonly ProposalSpec[],
  generation: number,
): readonly Proposal[] {
  const proposals: Proposal[] = [];
  const trees: FakeTree[] = [];
  for (const { writes, reads, builds } of specs) {
    const place = builds === null ? -1 : proposals.length - 1 - builds;
    const seen = trees[place] ?? base;
    const made = writes.map((spec) => {
      const path = paths[spec.path] as string;
      return facts.write(path, changed(facts, seen.entry(path), spec), seen);
    });
    // A chain that is at odds with itself cannot be built on.
    const fits = made.every(({ path }) => !path.startsWith('e'));
    trees.push(fits ? seen.with(made.map(({ path, after }) => ({ path, entry: after }))) : seen);
    proposals.push(
      fakeProposal({
        id: composeId('prp', generation, proposals.length + 1),
        writes: made,
        reads: reads.map(({ query, atTip }) =>
          facts.read(queries[query] as FakeQuery, atTip && place < 0 ? tip : seen),
        ),
        predecessor: proposals[place]?.id ?? null,
      }),
    );
  }
  return proposals;
}

const world = fc
  .record({
    drift: fc.array(proposalSpec, { maxLength: 4 }),
    specs: fc.array(proposalSpec, { maxLength: 60 }),
    odd: fc.array(fc.nat(60), { maxLength: 2 }),
  })
  .map(({ drift, specs, odd }) => build(drift, specs, odd));

function holds(property: (world: World) => void): void {
  fc.assert(fc.property(world, property), { numRuns: 150 });
}

function own({ writes }: Proposal, read: ResolvedRead): boolean {
  return read.kind !== 'dir' && read.kind !== 'glob' && writes.some(({ path }) => path === read.path);
}

function same(left: Entry | null, right: Entry | null): boolean {
  return left?.oid === right?.oid && left?.mode === right?.mode;
}

function sorted(tree: FakeTree): readonly (readonly [string, Entry])[] {
  return [...tree.entries()].sort(([left], [right]) => (left < right ? -1 : 1));
}

function chainOf({ byId }: World, proposal: Proposal): readonly ProposalId[] {
  const chain: ProposalId[] = [];
  for (let at: Proposal | undefined = proposal; at?.predecessor; at = byId.get(at.predecessor))
    chain.push(at.predecessor);
  return chain;
}

function finalTree({ facts, plan: { landings } }: World): FakeTree {
  return (landings.at(-1)?.tree as FakeTree | undefined) ?? facts.tip;
}

/** Replays landings one after another on a tree of the test's own. */
function replay(w: World, each: (landing: PlannedLanding, proposal: Proposal, before: FakeTree) => void): void {
  let tree = w.facts.tip;
  for (const landing of w.plan.landings) {
    const proposal = defined(w.byId.get(landing.proposal), 'landed');
    each(landing, proposal, tree);
    tree = tree.with(landing.writes.filter(({ after }) => after === null).map(({ path }) => ({ path, entry: null })));
    tree = tree.with(landing.writes.map(({ path, after }) => ({ path, entry: after })));
    expect(sorted(landing.tree as FakeTree)).toEqual(sorted(tree));
  }
}

describe('every plan', () => {
  test('[O2] [OR2] [PL3] is the same for every order of arrival', () => {
    const shuffled = world.chain((made) =>
      fc
        .shuffledSubarray([...made.input.proposals], { minLength: made.input.proposals.length })
        .map((proposals) => ({ made, proposals })),
    );
    const plain = ({ landings, others }: Plan) => ({ landings: landings.map(({ tree, ...rest }) => rest), others });
    fc.assert(
      fc.property(shuffled, ({ made, proposals }) => {
        expect(plain(plan({ ...made.input, proposals }, made.facts))).toEqual(plain(made.plan));
      }),
      { numRuns: 100 },
    );
  });

  test('[V1a] [PL1] lands only what read fresh at its turn', () => {
    holds((made) =>
      replay(made, (_landing, proposal, before) => {
        for (const read of proposal.reads) {
          if (!own(proposal, read)) expect(made.facts.observe(before, read).stale).toBe(false);
        }
      }),
    );
  });

  test('[V2a] [V2b] [PL1] lands what was proposed or a merge with what stood there', () => {
    holds((made) =>
      replay(made, (landing, proposal, before) => {
        for (const { path, before: stood, after, merge } of landing.writes) {
          const write = defined(
            proposal.writes.find((each) => each.path === path),
            'declared',
          );
          expect(stood).toEqual(before.entry(path));
          expect(same(stood, after)).toBe(false);
          if (same(stood, write.base)) expect(after).toEqual(write.after);
          else {
            const fact = made.facts.merge(path, write.base, stood, write.after);
            expect(fact.kind === 'conflict' ? null : fact.entry).toEqual(after);
            expect(path === 'run' && !same(after, write.after)).toBe(false);
            expect(merge !== null).toBe(fact.kind === 'merged');
          }
        }
        expect(landing.merged).toEqual(landing.writes.filter(({ merge }) => merge).map(({ path }) => path));
      }),
    );
  });

  test('[O1a] [OR1] lands readers before the writers of what they read', () => {
    holds((made) => {
      const landed = made.plan.landings.map(({ proposal }) => defined(made.byId.get(proposal), 'landed'));
      for (const [place, reader] of landed.entries()) {
        const chain = chainOf(made, reader);
        for (const writer of landed.slice(0, place)) {
          if (chain.includes(writer.id)) continue;
          const edits = writer.writes.filter(({ base, after }) => !same(base, after)).map(({ path }) => path);
          const members = writer.writes.filter(({ base, after }) => !base !== !after).map(({ path }) => path);
          for (const read of reader.reads) {
            if (own(reader, read)) continue;
            if (read.kind === 'glob')
              expect(members.filter((path) => made.facts.matchesGlob(read.glob, path))).toEqual([]);
            else if (read.kind === 'dir') {
              const prefix = read.path === '' ? '' : `${read.path}/`;
              const direct = members.filter(
                (path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'),
              );
              expect(direct).toEqual([]);
            } else expect(edits).not.toContain(read.path);
          }
        }
      }
    });
  });

  test('[O3c] [OR3] lands the parts of a chain in order, none without the one before it', () => {
    holds((made) => {
      const kinds = new Map(made.plan.others.map(({ proposal, kind }) => [proposal, kind]));
      replay(made, (landing, proposal) => {
        if (proposal.predecessor === null) return;
        const places = made.plan.landings.map((each) => each.proposal);
        const before = places.indexOf(proposal.predecessor);
        if (before < 0) expect(kinds.get(proposal.predecessor)).toBe('unchanged');
        else expect(before).toBeLessThan(places.indexOf(landing.proposal));
      });
    });
  });

  test('[L7] [VA1] [PL2] accounts for every proposal and every write once', () => {
    holds((made) => {
      const named = [...made.plan.landings, ...made.plan.others].map(({ proposal }) => proposal);
      expect([...named].sort()).toEqual([...made.byId.keys()].sort());
      const declared = (id: ProposalId) => made.byId.get(id)?.writes.map(({ path }) => path) ?? [];
      for (const { proposal, writes, unchanged } of made.plan.landings) {
        expect([...writes.map(({ path }) => path), ...unchanged].sort()).toEqual([...declared(proposal)].sort());
        expect(writes.length).toBeGreaterThan(0);
      }
      for (const outcome of made.plan.others) {
        if (outcome.kind === 'unchanged')
          expect([...outcome.unchanged].sort()).toEqual([...declared(outcome.proposal)].sort());
      }
    });
  });

  test('[R1a] [PL5] returns what does not fit the new tip, and names all of it', () => {
    holds((made) => {
      const tree = finalTree(made);
      for (const outcome of made.plan.others) {
        if (outcome.kind !== 'returned') continue;
        const proposal = defined(made.byId.get(outcome.proposal), 'returned');
        const { reads, writes } = outcome.brief;
        const stale = proposal.reads.filter((read) => !own(proposal, read) && made.facts.observe(tree, read).stale);
        expect(reads.map(({ read }) => read)).toEqual(stale);
        for (const { path, tip } of writes) expect(tip).toEqual(tree.entry(path));
        const isChain = chainOf(made, proposal).some((id) =>
          made.plan.others.some(
            (each) => each.proposal === id && (each.kind === 'returned' || each.kind === 'rejected'),
          ),
        );
        expect(writes.some(({ kind }) => kind === 'chain')).toBe(isChain && proposal.writes.length > 0);
        if (!isChain) expect(reads.length + writes.length).toBeGreaterThan(0);
      }
    });
  });

  test('[O1e] [PL4] settles something, and cycle after cycle everything', () => {
    holds((made) => {
      let { plan: planned, input } = made;
      const returned = new Set<ProposalId>();
      for (let cycle = 0; input.proposals.length > 0; cycle += 1) {
        expect(cycle).toBeLessThanOrEqual(made.byId.size);
        for (const { proposal, writes } of planned.landings) {
          const landing = defined(input.landings.get(proposal), 'landing');
          made.facts.record({ landing, proposal: defined(made.byId.get(proposal), 'landed'), title: '' }, writes);
        }
        const deferred = new Set<ProposalId>();
        for (const { proposal, kind } of planned.others) {
          if (kind === 'deferred') deferred.add(proposal);
          if (kind === 'returned' || kind === 'rejected') returned.add(proposal);
        }
        const proposals = input.proposals.filter(({ id }) => deferred.has(id));
        expect(proposals.length === 0 || proposals.length < input.proposals.length).toBe(true);
        input = fakeCycle(proposals, { strict: input.strict, returnedPredecessors: returned });
        planned = plan(input, made.facts);
      }
    });
  });
});

test('the random colonies reach every kind of outcome', () => {
  const seen = new Set<string>();
  for (const made of fc.sample(world, { numRuns: 200, seed: 11 })) {
    if (made.plan.landings.some(({ merged }) => merged.length > 0)) seen.add('merged');
    if (made.plan.landings.some(({ unchanged }) => unchanged.length > 0)) seen.add('partly unchanged');
    for (const outcome of made.plan.others) {
      seen.add(outcome.kind === 'deferred' ? outcome.reason : outcome.kind);
      if (outcome.kind === 'returned') for (const { kind } of outcome.brief.writes) seen.add(kind);
      if (outcome.kind === 'returned') for (const { read } of outcome.brief.reads) seen.add(read.kind);
    }
  }
  const outcomes = ['merged', 'partly unchanged', 'unchanged', 'returned', 'rejected', ...Object.values(deferReasons)];
  const conflicts = ['content', 'delete/edit', 'add/add', 'file/directory', 'strict', 'case', 'chain'];
  for (const kind of [...outcomes, ...conflicts, 'file', 'dir', 'glob', 'symbol', 'lines'])
    expect(seen).toContain(kind);
});
