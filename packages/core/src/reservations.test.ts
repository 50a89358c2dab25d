// Reservations: what a proposal that came back three times is given, and what others wait for.

import { defined, landingOf, type ProposalId } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeFacts } from './fake-facts.ts';
import { fakeCycle } from './fake-facts-proposal.ts';
import type { Outcome, ResolvedWrite } from './model.ts';
import { plan } from './plan.ts';
import { heldBackBy } from './reservations.ts';
import { oid, proposeCommand, read, Scenario, type Worker, write } from './scenario.ts';
import { proposalStatus } from './views.ts';

const hot = 'src/hot.ts';

/** Sends a worker's proposal back three times; gives the last return. */
function returnedThrice(
  scenario: Scenario,
  worker: Worker,
  writes: readonly ResolvedWrite[],
  reads = [read('src/r.ts')],
) {
  let proposal = scenario.do(proposeCommand(worker, { writes, reads })).proposal;
  for (let round = 1; ; round += 1) {
    const id = proposal;
    scenario.cycle((one) => (one.id === id ? 'returned' : 'landed'));
    if (round === 3) return proposal;
    proposal = scenario.repair(worker, proposal);
  }
}

/** What holds a proposal back. */
function holder(scenario: Scenario, proposal: ProposalId): ProposalId | null {
  return heldBackBy(scenario.state, proposal)?.reservedBy ?? null;
}

describe('a reservation', () => {
  it('[R4a] begins with the third return, for as long as the policy says and never longer than the window', () => {
    for (const [reservationMs, repairWindowMs, expected] of [
      [700, 9_000, 700],
      [9_000, 700, 700],
    ] as const) {
      const scenario = new Scenario({ reservationMs, repairWindowMs });
      const worker = scenario.worker('ada');
      const before = scenario.events.length;
      const third = returnedThrice(scenario, worker, [write(hot)]);
      const reserved = scenario.events.slice(before).filter((event) => event.kind === 'reserved');
      expect(reserved).toMatchObject([{ proposal: third, lease: worker.lease, until: scenario.now + expected }]);
    }
  });

  it('[R4a] lasts long enough for who answers slowly, within the window', () => {
    for (const [answerMs, repairWindowMs, expected] of [
      [100, 9_000, 700],
      [2_000, 9_000, 4_000],
      [2_000, 3_000, 3_000],
    ] as const) {
      const scenario = new Scenario({ reservationMs: 700, repairWindowMs });
      const worker = scenario.worker('ada');
      let proposal = scenario.propose(worker, [write(hot)]);
      for (const _round of [1, 2]) {
        scenario.cycle(() => 'returned');
        scenario.pass(answerMs);
        proposal = scenario.repair(worker, proposal);
      }
      scenario.cycle(() => 'returned');
      expect(scenario.state.reservations.get(worker.lease)?.until).toBe(scenario.now + expected);
    }
  });

  it('[R4b] others that would change what it writes or reads wait for its end, and are told so', () => {
    const scenario = new Scenario();
    const ada = scenario.worker('ada');
    const third = returnedThrice(scenario, ada, [write(hot)]);
    const others = ['writes', 'moves the read', 'elsewhere', 'reads'].map((name) => scenario.worker(name));
    const [writes, moves, elsewhere, reads] = others as [Worker, Worker, Worker, Worker];
    const first = scenario.propose(writes, [write(hot, 7)]);
    const second = scenario.propose(moves, [write('src/r.ts', 8)]);
    const free = scenario.propose(elsewhere, [write('src/other.ts')]);
    const reader = scenario.do(proposeCommand(reads, { writes: [write('src/q.ts')], reads: [read(hot)] })).proposal;
    expect(scenario.cycle().map(({ proposal }) => proposal)).toEqual([free, reader]);
    for (const held of [first, second]) {
      expect(proposalStatus(scenario.state, held)).toMatchObject({ state: 'queued', heldBack: { reservedBy: third } });
    }
    const repair = scenario.repair(ada, third);
    expect(holder(scenario, first)).toBe(repair);
    expect(scenario.cycle()).toMatchObject([{ kind: 'landed', proposal: repair }]);
    // First in line again, in their old order.
    const late = scenario.propose(scenario.worker('late'), [write('src/late.ts')]);
    expect(scenario.cycle().map(({ proposal }) => proposal)).toEqual([first, second, late]);
  });

  it('[R4b] a file that comes or goes waits for whoever read the listing or a glob that may match it', () => {
    const scenario = new Scenario();
    const reads = [
      { kind: 'dir', path: 'docs', at: oid(0), basis: 'l' },
      { kind: 'glob', glob: 'lib/**/*.ts', at: oid(0), basis: 'g' },
    ] as const;
    returnedThrice(scenario, scenario.worker('ada'), [write('a/out.ts')], [...reads] as never);
    const send = (path: string, base: ResolvedWrite['base'] = null) =>
      scenario.propose(scenario.worker(`w ${path}`), [write(path, 5, base)]);
    const held = ['docs/new.md', 'docs/deep/new.md', 'lib/a/b.ts'].map((path) => send(path));
    const free = [send('lib/a/b.md'), send('docs/old.md', { mode: '100644', oid: oid(4) }), send('doc/new.md')];
    expect(scenario.cycle().map(({ proposal }) => proposal)).toEqual(free);
    for (const proposal of held) expect(holder(scenario, proposal)).not.toBeNull();
  });

  it('[R4c] ends with the time, and whoever waited lands', () => {
    const scenario = new Scenario({ reservationMs: 500 });
    returnedThrice(scenario, scenario.worker('ada'), [write(hot)]);
    const held = scenario.propose(scenario.worker('bob'), [write(hot, 7)]);
    expect(scenario.cycle()).toEqual([]);
    scenario.pass(499);
    expect(scenario.kinds()).not.toContain('lanes-ready');
    scenario.pass(1);
    expect(scenario.kinds()).toContain('lanes-ready');
    expect(scenario.cycle()).toMatchObject([{ kind: 'landed', proposal: held }]);
  });

  it('[R4c] ends with its lease, whatever ends that', () => {
    const ends: readonly ((scenario: Scenario, worker: Worker) => void)[] = [
      (scenario, worker) => scenario.do({ kind: 'release', ...worker, why: null }),
      (scenario, worker) => scenario.do({ kind: 'fail', ...worker, why: 'w' }),
      (scenario, worker) => scenario.do({ kind: 'complete', ...worker, why: 'w' }),
      (scenario, worker) => scenario.do({ kind: 'stop-agent', agent: worker.agent }),
      (scenario, { intent }) => scenario.do({ kind: 'edit-intent', intent, change: { state: 'abandoned' } }),
    ];
    for (const end of ends) {
      const scenario = new Scenario();
      const ada = scenario.worker('ada');
      returnedThrice(scenario, ada, [write(hot)]);
      const held = scenario.propose(scenario.worker('bob'), [write(hot, 7)]);
      scenario.cycle();
      end(scenario, ada);
      expect(scenario.kinds()).toContain('lanes-ready');
      expect(scenario.cycle()).toMatchObject([{ kind: 'landed', proposal: held }]);
    }
  });

  it('[R4d] a lane has one at a time; a return ends one and begins none', () => {
    const scenario = new Scenario();
    const [ada, bob] = [scenario.worker('ada'), scenario.worker('bob')];
    const third = returnedThrice(scenario, ada, [write(hot)]);
    const other = returnedThrice(scenario, bob, [write('src/other.ts')], [read('src/s.ts')]);
    expect([...scenario.state.reservations.keys()]).toEqual([ada.lease]);
    const fourth = scenario.repair(ada, third);
    scenario.cycle(() => 'returned');
    expect(scenario.state.reservations.size).toBe(0);
    scenario.repair(bob, other);
    scenario.cycle(() => 'returned');
    expect([...scenario.state.reservations.keys()]).toEqual([bob.lease]);
    scenario.repair(ada, fourth);
    scenario.cycle(() => 'returned');
    expect([...scenario.state.reservations.keys()]).toEqual([bob.lease]);
  });

  it('[R4d] of two that stand in each other’s way the older goes first', () => {
    const scenario = new Scenario();
    const [ada, bob] = [scenario.worker('ada'), scenario.worker('bob')];
    const older = returnedThrice(scenario, ada, [write('src/a/x.ts'), write('src/a/y.ts')], []);
    const younger = returnedThrice(scenario, bob, [write('src/b/x.ts'), write('src/b/y.ts')], [read('src/a/x.ts')]);
    expect(scenario.state.reservations.size).toBe(2);
    const wider = { writes: [write('src/a/x.ts', 3), write('src/b/x.ts', 3)], reads: [] };
    const late = scenario.repair(bob, younger, { answer: 'redo', content: wider });
    const early = scenario.repair(ada, older, { answer: 'redo', content: wider });
    expect(scenario.cycle()).toMatchObject([{ kind: 'landed', proposal: early }]);
    expect(scenario.cycle()).toMatchObject([{ kind: 'landed', proposal: late }]);
  });

  it('[R4e] a part of a chain waits with the part that it builds on', () => {
    const scenario = new Scenario();
    const ada = scenario.worker('ada');
    const third = returnedThrice(scenario, ada, [write(hot)]);
    const bob = scenario.worker('bob');
    const first = scenario.propose(bob, [write(hot, 7)], { final: false });
    scenario.cycle();
    const second = scenario.propose(bob, [write('src/z.ts', 7)], { predecessor: first });
    expect(scenario.cycle()).toEqual([]);
    expect(holder(scenario, second)).toBe(third);
    scenario.do({ kind: 'release', ...ada, why: null });
    expect(scenario.cycle().map(({ proposal }) => proposal)).toEqual([first, second]);
  });

  it('[R4c] a restart keeps it, with a full term', () => {
    const scenario = new Scenario({ reservationMs: 500 });
    const ada = scenario.worker('ada');
    returnedThrice(scenario, ada, [write(hot)]);
    const held = scenario.propose(scenario.worker('bob'), [write(hot, 7)]);
    scenario.cycle();
    scenario.now += 400;
    scenario.restart();
    scenario.do({ kind: 'boot' });
    scenario.pass(499);
    expect(scenario.state.reservations.size).toBe(1);
    expect(proposalStatus(scenario.state, held)).toMatchObject({ heldBack: { until: scenario.now + 1 } });
  });
});

/** A colony whose cycles are planned by the rules, over a trunk of made-up files. */
class PlannedColony {
  readonly scenario: Scenario;
  readonly facts = new FakeFacts();
  #commits = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    scenario.checked = false;
  }

  /** Runs one cycle as planned; gives its outcomes. */
  cycle(): readonly Outcome['kind'][] {
    const { scenario, facts } = this;
    if (scenario.do({ kind: 'start-cycle' }).cycle === null) return [];
    const proposals = scenario.state.cycleOrder.map((id) => defined(scenario.state.proposals.get(id), id));
    const planned = plan(
      fakeCycle(proposals, { landings: new Map(proposals.map(({ id }) => [id, landingOf(id)])) }),
      facts,
    );
    const landings = new Map(planned.landings.map((landing) => [landing.proposal, landing]));
    for (const proposal of proposals) {
      const landing = landings.get(proposal.id);
      if (landing === undefined) continue;
      facts.record({ landing: landingOf(proposal.id), proposal, title: '' }, landing.writes);
    }
    const others = new Map(planned.others.map((outcome) => [outcome.proposal, outcome]));
    this.#commits += 1;
    const { cycle } = scenario.state;
    const outcomes = scenario.intend((proposal) => {
      const other = others.get(proposal.id);
      if (other?.kind !== 'returned') return other ?? 'landed';
      return { ...other, brief: { ...other.brief, trunk: oid(9_000 + this.#commits) } };
    });
    scenario.do({ kind: 'commit-cycle', cycle: defined(cycle, 'the cycle').id });
    return outcomes.map(({ kind }) => kind);
  }
}

describe('a hot file', () => {
  it('[R4a] with writers without end still lets the one land that came back three times', () => {
    const crowd = fc.record({
      // How many others write the file before each cycle, and how many cycles pass while the slow one thinks.
      writers: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
      thinking: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
      writesItToo: fc.boolean(),
    });
    const property = fc.property(crowd, ({ writers, thinking, writesItToo }) => {
      const scenario = new Scenario();
      const colony = new PlannedColony(scenario);
      const { facts } = colony;
      let number = 0;
      const othersWrite = () => {
        const count = writers[number % writers.length] as number;
        for (let each = 0; each < count; each += 1) {
          number += 1;
          scenario.propose(scenario.worker(`other ${number}`), [facts.write(hot, facts.file(`version ${number}`))]);
        }
        colony.cycle();
      };
      othersWrite();
      const slow = scenario.worker('slow');
      const mine = () => [facts.write(writesItToo ? hot : 'src/out.ts', facts.file('mine'))];
      const content = { writes: mine(), reads: writesItToo ? [] : [facts.read({ path: hot })] };
      for (let cycle = 0; cycle < (thinking[0] as number); cycle += 1) othersWrite();
      let proposal = scenario.do(proposeCommand(slow, content)).proposal;
      let returns = 0;
      for (let round = 0; round < 50; round += 1) {
        othersWrite();
        const status = proposalStatus(scenario.state, proposal);
        if (status?.state === 'landed') break;
        expect(status?.state).toBe('returned');
        returns += 1;
        const answer = writesItToo ? ({ answer: 'redo', content: { writes: mine(), reads: [] } } as const) : {};
        for (let cycle = 0; cycle < (thinking[returns % thinking.length] as number); cycle += 1) othersWrite();
        proposal = scenario.repair(slow, proposal, answer);
      }
      expect(proposalStatus(scenario.state, proposal)?.state).toBe('landed');
      expect(returns).toBeLessThanOrEqual(3);
      expect(scenario.state.reservations.size).toBe(0);
      scenario.check();
    });
    fc.assert(property, { numRuns: 30 });
  });
});
