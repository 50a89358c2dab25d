// What becomes of the proposals of one cycle, where more than one of them matters.

import { describe, expect, test } from 'vitest';
import { FakeFacts, type FakeQuery } from './fake-facts.ts';
import { fakeCycle, fakeProposal } from './fake-facts-proposal.ts';
import { FakeTree } from './fake-facts-tree.ts';
import type { Brief, Proposal } from './model.ts';
import { deferReasons, plan } from './plan.ts';
import { type Plan, type PlanInput, pendingTrunk } from './plan-port.ts';

type Writes = Readonly<Record<string, string | null>>;

/** A colony whose files hold what is said, and in which proposals are made against the tip of the moment. */
class Bench {
  readonly facts = new FakeFacts();

  constructor(files: Readonly<Record<string, string>>) {
    const writes = Object.entries(files).map(([path, text]) => ({ path, before: null, after: this.facts.file(text) }));
    this.facts.record({ landing: 'lnd_0', proposal: fakeProposal({ id: 'prp_0' }), title: 'start' }, writes);
  }

  proposal(number: number, writes: Writes, reads: readonly FakeQuery[] = [], builds: Proposal | null = null): Proposal {
    const made = builds?.writes.map(({ path, after }) => ({ path, entry: after })) ?? [];
    const seen = this.facts.tip.with(made);
    return fakeProposal({
      id: `prp_${number}`,
      writes: Object.entries(writes).map(([path, text]) =>
        this.facts.write(path, text === null ? null : this.facts.file(text), seen),
      ),
      reads: reads.map((query) => this.facts.read(query, seen)),
      predecessor: builds?.id ?? null,
    });
  }

  /** Lands a proposal outside the cycle. */
  land(proposal: Proposal): void {
    const writes = proposal.writes.map(({ path, base, after }) => ({ path, before: base, after }));
    const number = proposal.id.slice('prp_'.length);
    this.facts.record({ landing: `lnd_${number}`, proposal, title: `work of ${proposal.id}` }, writes);
  }

  plan(proposals: readonly Proposal[], told: Partial<PlanInput> = {}): Plan {
    return plan(fakeCycle(proposals, told), this.facts);
  }
}

/** "1 landed" in order of landing, then the others by age. */
function short({ landings, others }: Plan): readonly string[] {
  const number = (id: string): string => id.slice('prp_'.length);
  return [
    ...landings.map(({ proposal }) => `${number(proposal)} landed`),
    ...others.map(({ proposal, kind }) => `${number(proposal)} ${kind}`),
  ];
}

function briefOf({ others }: Plan, number: number): Brief {
  const outcome = others.find(({ proposal }) => proposal === `prp_${number}`);
  if (outcome?.kind !== 'returned') throw new Error(`${number} was not returned`);
  return outcome.brief;
}

function reasonOf({ others }: Plan, number: number): string {
  const outcome = others.find(({ proposal }) => proposal === `prp_${number}`);
  if (outcome?.kind !== 'deferred') throw new Error(`${number} was not deferred`);
  return outcome.reason;
}

describe('[PL1] the running tree', () => {
  test('a landing is validated on what the landings before it made, merges included', () => {
    const bench = new Bench({ f: 'a' });
    const parts = (first: string, second: string) => bench.facts.file({ 1: first, 2: second });
    const base = parts('a', 'a');
    const before = bench.facts.tip;
    bench.facts.record({ landing: 'lnd_x', proposal: fakeProposal({ id: 'prp_x' }), title: 'x' }, [
      { path: 'f', before: before.entry('f'), after: base },
    ]);
    const edit = (number: number, first: string, second: string) =>
      fakeProposal({ id: `prp_${number}`, writes: [{ path: 'f', base, after: parts(first, second) }] });
    const made = bench.plan([edit(1, 'b', 'a'), edit(2, 'a', 'c'), edit(3, 'd', 'a')]);
    expect(short(made)).toEqual(['1 landed', '2 landed', '3 returned']);
    expect(made.landings[1]?.merged).toEqual(['f']);
    expect(made.landings[1]?.tree.entry('f')).toEqual(parts('b', 'c'));
    expect(made.landings[1]?.writes[0]?.before).toEqual(parts('b', 'a'));
    expect(briefOf(made, 3).writes).toMatchObject([
      { path: 'f', kind: 'content', base, tip: parts('b', 'c'), cause: { landing: 'lnd_2' } },
    ]);
  });

  test('two that land the same content: the second is unchanged', () => {
    const bench = new Bench({ f: 'a' });
    expect(short(bench.plan([bench.proposal(1, { f: 'b' }), bench.proposal(2, { f: 'b' })]))).toEqual([
      '1 landed',
      '2 unchanged',
    ]);
  });

  test('a symbol that comes from another file is looked at again', () => {
    const bench = new Bench({ impl: 'x' });
    const index = bench.facts.file({ parts: {}, from: { f: 'impl' } });
    bench.facts.record({ landing: 'lnd_x', proposal: fakeProposal({ id: 'prp_x' }), title: 'x' }, [
      { path: 'index', before: null, after: index },
      { path: 'impl', before: bench.facts.tip.entry('impl'), after: bench.facts.file({ f: '1' }) },
    ]);
    const writer = fakeProposal({ id: 'prp_1', writes: [bench.facts.write('impl', bench.facts.file({ f: '2' }))] });
    const reader = bench.proposal(2, { out: 'y' }, [{ path: 'index', symbol: 'f' }]);
    expect(short(bench.plan([writer, reader]))).toEqual(['1 landed', '2 returned']);
  });
});

describe('[PL2] quarantine', () => {
  test('what verification stopped is rejected by that name, and its chain goes back', () => {
    const bench = new Bench({ f: 'a' });
    const first = bench.proposal(1, { f: 'b' });
    const second = bench.proposal(2, { g: 'c' }, [], first);
    const made = bench.plan([first, second], { quarantined: new Map([['prp_1', 'a blob is not the proposed one']]) });
    expect(made.others[0]).toEqual({
      kind: 'rejected',
      proposal: 'prp_1',
      reasons: [{ code: 'quarantined', message: 'a blob is not the proposed one', path: null }],
    });
    expect(briefOf(made, 2).writes).toMatchObject([{ path: 'g', kind: 'chain' }]);
  });

  test('nothing waits for it in the order', () => {
    const bench = new Bench({ f: 'a', g: 'a' });
    const stopped = bench.proposal(1, { f: 'b' }, [{ path: 'g' }]);
    const made = bench.plan([stopped, bench.proposal(2, { g: 'b' }, [{ path: 'f' }])], {
      quarantined: new Map([['prp_1', 'wrong']]),
    });
    expect(short(made)).toEqual(['2 landed', '1 rejected']);
  });
});

describe('[O1c] [O1d] deferral', () => {
  test('the younger of a cycle comes again, with the reason', () => {
    const bench = new Bench({ f: 'a', g: 'a' });
    const made = bench.plan([
      bench.proposal(1, { f: 'b' }, [{ path: 'g' }]),
      bench.proposal(2, { g: 'b' }, [{ path: 'f' }]),
    ]);
    expect(short(made)).toEqual(['1 landed', '2 deferred']);
    expect(reasonOf(made, 2)).toBe(deferReasons.cycle);
  });

  test('[O1d] one that is stale on the tip holds up nobody', () => {
    const bench = new Bench({ f: 'a', g: 'a' });
    const stale = bench.proposal(1, { f: 'b' }, [{ path: 'g' }, { path: 'h' }]);
    bench.land(bench.proposal(9, { h: 'new' }));
    const made = bench.plan([stale, bench.proposal(2, { g: 'b' }, [{ path: 'f' }])]);
    expect(short(made)).toEqual(['2 landed', '1 returned']);
    // Both reads show something else on the new tip, one because of this cycle.
    expect(briefOf(made, 1).reads.map(({ cause }) => cause.landing)).toEqual(['lnd_2', 'lnd_9']);
  });

  test('[R1b] [PL5] what fits the trunk that the cycle made comes again instead of going back', () => {
    const bench = new Bench({ f: 'a' });
    const reader = bench.proposal(1, { g: 'b' }, [{ path: 'f' }]);
    bench.land(bench.proposal(9, { f: 'changed' }));
    const made = bench.plan([reader, bench.proposal(2, { f: 'a' })]);
    expect(short(made)).toEqual(['2 landed', '1 deferred']);
    expect(reasonOf(made, 1)).toBe(deferReasons.fresh);
  });

  test('[V2h] [VA3] a stale read does not keep a proposal that changes nothing', () => {
    const bench = new Bench({ f: 'a', g: 'a' });
    const reader = bench.proposal(1, { g: 'a' }, [{ path: 'f' }]);
    bench.land(bench.proposal(9, { f: 'changed' }));
    expect(short(bench.plan([reader]))).toEqual(['1 unchanged']);
  });
});

describe('[O3c] chains', () => {
  test('parts land in order, each on what the one before it made', () => {
    const bench = new Bench({ f: 'a' });
    const first = bench.proposal(1, { f: 'b' });
    const second = bench.proposal(2, { f: 'c', g: 'c' }, [], first);
    const third = bench.proposal(3, { h: 'd' }, [{ path: 'g' }, { path: 'f' }], second);
    // It saw what the first part left of "f", and what the second made of "g".
    const seen = {
      ...third,
      reads: [bench.facts.read({ path: 'g' }, bench.facts.tip.with([{ path: 'g', entry: bench.facts.file('c') }]))],
    };
    expect(short(bench.plan([seen, second, first]))).toEqual(['1 landed', '2 landed', '3 landed']);
  });

  test('[R1d] from the first return on, the later parts go back for the chain', () => {
    const bench = new Bench({ f: 'a' });
    const first = bench.proposal(1, { f: 'b' });
    bench.land(bench.proposal(9, { f: 'changed' }));
    const second = bench.proposal(2, { g: 'c', h: 'c' }, [], first);
    const third = bench.proposal(3, { i: 'd' }, [], second);
    const made = bench.plan([first, second, third]);
    expect(short(made)).toEqual(['1 returned', '2 returned', '3 returned']);
    expect(briefOf(made, 2)).toEqual({
      trunk: pendingTrunk,
      reads: [],
      writes: ['g', 'h'].map((path) => ({
        path,
        kind: 'chain',
        base: null,
        tip: null,
        cause: { landing: null, intent: { id: 'int_2', title: 'work of prp_2' } },
        diff: '-undefined\n+undefined\n',
      })),
    });
    expect(briefOf(made, 3).writes.map(({ kind }) => kind)).toEqual(['chain']);
  });

  test('a part of an earlier cycle that came back breaks the chain, one that landed does not', () => {
    const bench = new Bench({});
    const first = bench.proposal(1, { f: 'b' });
    const second = bench.proposal(2, { g: 'c' }, [], first);
    expect(short(bench.plan([second], { returnedPredecessors: new Set(['prp_1']) }))).toEqual(['2 returned']);
    bench.land(first);
    expect(short(bench.plan([second]))).toEqual(['2 landed']);
  });

  test('[R1d] a broken chain names its stale reads too', () => {
    const bench = new Bench({ f: 'a' });
    const first = bench.proposal(1, { g: 'b' });
    const second = bench.proposal(2, { h: 'c' }, [{ path: 'f' }], first);
    bench.land(bench.proposal(9, { f: 'changed' }));
    const brief = briefOf(bench.plan([second], { returnedPredecessors: new Set(['prp_1']) }), 2);
    expect(brief.reads.map(({ cause }) => cause.landing)).toEqual(['lnd_9']);
  });

  test('the later parts are deferred with the part that they build on', () => {
    const bench = new Bench({ f: 'a', g: 'a' });
    const older = bench.proposal(1, { f: 'b' }, [{ path: 'g' }]);
    const first = bench.proposal(2, { g: 'b' }, [{ path: 'f' }]);
    const made = bench.plan([
      older,
      first,
      bench.proposal(3, { h: 'c' }, [], first),
      bench.proposal(4, { i: 'c' }, [], older),
    ]);
    expect(short(made)).toEqual(['1 landed', '4 landed', '2 deferred', '3 deferred']);
    expect(reasonOf(made, 3)).toBe(deferReasons.chain);
  });

  test('[R1c] [BR2] a part is not named as the cause of what happens to a later part of its chain', () => {
    const bench = new Bench({ f: 'a' });
    bench.land(bench.proposal(9, { 'd/x': 'a' }));
    const first = bench.proposal(1, { 'd/y': 'b' });
    const made = bench.plan([first, bench.proposal(2, { d: 'c' }, [], first)]);
    expect(briefOf(made, 2).writes).toMatchObject([{ path: 'd', kind: 'file/directory', cause: { landing: 'lnd_9' } }]);
  });
});

describe('[R1a] [R1c] briefs', () => {
  test('[R1c] [PT1] the cause is the last landing of the cycle that touched what was read or written', () => {
    const bench = new Bench({ f: 'a', 'd/1': 'a', 'e/1': 'a', 'g/h/1': 'a' });
    // The reads are those of an older trunk, so nothing of this cycle waits for them.
    const stale = bench.proposal(5, { f: 'mine', E: 'new', 'd/1/x': 'new' }, [
      { dir: 'd' },
      { glob: 'e/*' },
      { dir: 'g' },
    ]);
    bench.land(bench.proposal(8, { 'd/2': 'a' }));
    const made = bench.plan([
      bench.proposal(1, { f: 'b', 'd/3': 'b' }),
      bench.proposal(2, { f: 'c', 'd/1': 'b' }, [], bench.proposal(1, { f: 'b' })),
      bench.proposal(3, { 'e/2': 'b' }),
      bench.proposal(4, { 'g/h/1': null }),
      stale,
    ]);
    expect(short(made)).toEqual(['1 landed', '2 landed', '3 landed', '4 landed', '5 returned']);
    const brief = briefOf(made, 5);
    expect(brief.trunk).toBe(pendingTrunk);
    expect(brief.reads.map(({ read, cause }) => [read.kind, cause.landing])).toEqual([
      ['dir', 'lnd_1'],
      ['glob', 'lnd_3'],
      ['dir', 'lnd_4'],
    ]);
    expect(brief.writes.map(({ path, kind, cause }) => [path, kind, cause.landing, cause.intent.title])).toEqual([
      ['f', 'content', 'lnd_2', 'work of prp_2'],
      ['E', 'case', 'lnd_3', 'work of prp_3'],
      ['d/1/x', 'file/directory', 'lnd_2', 'work of prp_2'],
    ]);
  });

  test('[R1a] [BR1] a brief shows the trunk after the cycle, not the one at its turn', () => {
    const bench = new Bench({ f: 'a', g: 'a' });
    const stale = bench.proposal(1, { out: 'x' }, [{ path: 'f' }, { path: 'g' }]);
    bench.land(bench.proposal(9, { f: 'changed' }));
    const made = bench.plan([stale, bench.proposal(2, { f: 'a', g: 'b' })]);
    // "f" is again what it was; "g" is what this cycle made of it.
    expect(briefOf(made, 1).reads).toEqual([
      {
        read: stale.reads[1],
        now: bench.facts.file('b').oid,
        cause: { landing: 'lnd_2', intent: { id: 'int_2', title: 'work of prp_2' } },
        diff: `-${bench.facts.file('a').oid}\n+${bench.facts.file('b').oid}\n`,
      },
    ]);
  });
});

test('an empty cycle has an empty plan', () => {
  expect(plan(fakeCycle([]), new FakeFacts(FakeTree.of([])))).toEqual({ landings: [], others: [] });
});
