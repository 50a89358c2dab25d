import type { ProposalId } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import type { Outcome } from './model.ts';
import { Scenario, write } from './scenario.ts';
import { cycleProposals, missingPredecessors } from './views.ts';

function queue(colony: Scenario, count: number, path = (index: number) => `src/f${index}.ts`): ProposalId[] {
  return Array.from({ length: count }, (_, index) => {
    return colony.propose(colony.worker(`w${colony.state.counter}`), [write(path(index))]);
  });
}

function start(colony: Scenario) {
  return colony.do({ kind: 'start-cycle' }).cycle ?? 'cyc_none';
}

describe('cycles', () => {
  it('[O4a] takes what queued in order of arrival up to the bound, one batch for each lane', () => {
    const colony = new Scenario({ limits: { proposalsPerCycle: 3 } });
    const ids = queue(colony, 5, (index) => `r${index % 2}/x.ts`);
    const cycle = start(colony);
    expect(colony.state.cycle?.batches.map(({ region, proposals }) => [region, proposals])).toEqual([
      ['r0', [ids[0], ids[2]]],
      ['r1', [ids[1]]],
    ]);
    expect(cycleProposals(colony.state).map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(colony.state.queue).toEqual(ids.slice(3));
    expect(colony.do({ kind: 'start-cycle' })).toEqual({ cycle: null, readyAt: null });
    colony.intend();
    colony.do({ kind: 'commit-cycle', cycle });
    expect(colony.kinds()).toContain('lanes-ready');
    expect(
      new Set([
        cycle,
        ...colony.events
          .filter((event) => event.kind === 'cycle-started')
          .flatMap((event) => event.batches.map(({ id }) => id)),
      ]).size,
    ).toBe(3);
  });

  it('[O4a] what queued while landing stood still is one cycle, however much', () => {
    const colony = new Scenario({ limits: { proposalsPerCycle: 2 } });
    colony.do({ kind: 'set-paused', paused: true, tip: colony.state.tip });
    const ids = queue(colony, 5);
    expect(colony.kinds()).toEqual([]);
    expect(start(colony)).toBe('cyc_none');
    colony.do({ kind: 'set-paused', paused: false, tip: colony.state.tip });
    expect(colony.kinds()).toEqual(['lanes-ready']);
    queue(colony, 1);
    start(colony);
    expect(colony.state.cycleOrder).toEqual(ids);
  });

  it('[O4b] an abandoned cycle queues again before what came later, in order, and stays together', () => {
    const colony = new Scenario({ limits: { proposalsPerCycle: 2 } });
    colony.do({ kind: 'set-paused', paused: true, tip: colony.state.tip });
    const ids = queue(colony, 4, (index) => `r${index % 2}/x.ts`);
    colony.do({ kind: 'set-paused', paused: false, tip: colony.state.tip });
    const cycle = start(colony);
    const later = queue(colony, 1);
    colony.intend();
    colony.do({ kind: 'abandon-cycle', cycle, reason: 'the tip moved' });
    expect(colony.state.queue).toEqual([...ids, ...later]);
    expect(colony.kinds()).toEqual(['lanes-ready']);
    start(colony);
    expect(colony.state.cycleOrder).toEqual(ids);
  });

  it('[O4b] deferred proposals queue again first, in order of arrival', () => {
    const colony = new Scenario();
    const ids = queue(colony, 4, (index) => `r${index % 2}/x.ts`);
    const cycle = start(colony);
    const later = queue(colony, 1);
    colony.intend((proposal) => (proposal.id === ids[1] ? 'landed' : 'deferred'));
    colony.do({ kind: 'commit-cycle', cycle });
    expect(colony.state.queue).toEqual([ids[0], ids[2], ids[3], ...later]);
    expect(colony.state.intents.size).toBe(4);
  });

  it('[O4a] what a cycle defers does not split what queued while landing stood still meanwhile', () => {
    const colony = new Scenario({ limits: { proposalsPerCycle: 1 } });
    const [first] = queue(colony, 1);
    const cycle = start(colony);
    colony.do({ kind: 'set-paused', paused: true, tip: colony.state.tip });
    const later = queue(colony, 3);
    colony.do({ kind: 'set-paused', paused: false, tip: colony.state.tip });
    colony.intend(() => 'deferred');
    colony.do({ kind: 'commit-cycle', cycle });
    start(colony);
    expect(colony.state.cycleOrder).toEqual([first, ...later]);
  });

  it('[L7] every proposal gets exactly one outcome, told to whoever waits', () => {
    const colony = new Scenario();
    const ids = queue(colony, 5);
    const kinds: Outcome['kind'][] = ['landed', 'unchanged', 'returned', 'rejected', 'deferred'];
    colony.cycle((proposal) => kinds[ids.indexOf(proposal.id)] ?? 'landed');
    const settled = colony.effects.filter((effect) => effect.kind === 'settled').map((effect) => effect.proposal);
    expect(settled).toEqual(ids.slice(0, 4));
    const archived = colony.effects
      .filter((effect) => effect.kind === 'archive-proposal')
      .map((effect) => effect.row.status.state);
    expect(archived).toEqual(['landed', 'unchanged', 'rejected']);
    expect(colony.state.totals).toMatchObject({
      landed: 1,
      unchanged: 1,
      returned: 1,
      rejected: 1,
      intentsClosed: 1,
      intentsLanded: 1,
    });
    expect(colony.events.filter((event) => kinds.includes(event.kind as Outcome['kind']))).toHaveLength(5);
  });

  it('[L7] an intention that forgets a proposal, or lands without moving trunk, crashes', () => {
    const colony = new Scenario();
    const [id] = queue(colony, 2);
    const cycle = start(colony);
    const outcomes: Outcome[] = [{ kind: 'unchanged', proposal: id as ProposalId, unchanged: [] }];
    const intend = (more: Outcome[]) => () =>
      colony.do({
        kind: 'intend-cycle',
        cycle,
        intention: { refs: null, outcomes: [...outcomes, ...more] },
        quarantined: [],
      });
    expect(intend([])).toThrow('every proposal of the cycle has an outcome');
    expect(intend(outcomes)).toThrow('has one outcome');
    expect(() => colony.do({ kind: 'commit-cycle', cycle: 'cyc_other' })).toThrow('runs, not');
  });

  it('[O3a] an intention in which the final part ends before an earlier one crashes', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.propose(worker, [write('a')], { final: false });
    colony.propose(worker, [write('b')]);
    start(colony);
    expect(() => colony.intend((proposal) => (proposal.final ? 'landed' : 'deferred'))).toThrow(
      'settles before the final part',
    );
  });

  it('[L3] commits from a state that was restored after the intention', () => {
    const colony = new Scenario();
    const [id] = queue(colony, 1);
    const cycle = start(colony);
    colony.intend();
    colony.restart();
    colony.do({ kind: 'boot' });
    const tip = colony.state.cycle?.intention?.refs?.newTip;
    colony.do({ kind: 'commit-cycle', cycle });
    expect(colony.state.tip).toBe(tip);
    expect(colony.effects).toContainEqual(
      expect.objectContaining({ kind: 'archive-landing', id: `lnd_${id?.slice(4)}` }),
    );
  });

  it('[L3] abandons from a state that was restored while planning', () => {
    const colony = new Scenario();
    const ids = queue(colony, 2);
    const cycle = start(colony);
    colony.restart();
    colony.do({ kind: 'boot' });
    colony.do({ kind: 'abandon-cycle', cycle, reason: 'started again' });
    expect(colony.state.queue).toEqual(ids);
  });

  it('[L1] a landing is archived with its lineage', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const takenAt = colony.now;
    colony.now += 10;
    colony.propose(worker, [write('src/a.ts')]);
    colony.now += 10;
    const [outcome] = colony.cycle();
    expect(colony.effects).toContainEqual({
      kind: 'archive-landing',
      id: outcome?.kind === 'landed' ? outcome.landing : null,
      row: expect.objectContaining({
        intent: { id: worker.intent, title: 'work of a' },
        agent: { id: worker.agent, name: 'a', kind: 'test' },
        region: 'src',
        external: null,
        returns: [],
        takenAt,
        proposedAt: takenAt + 10,
        landedAt: takenAt + 20,
      }),
    });
  });

  it('[L2b] what verification stopped is rejected, preserved and raised; the rest goes on', () => {
    const colony = new Scenario();
    const [bad, good] = queue(colony, 2);
    const cycle = start(colony);
    colony.intend(
      (proposal) => (proposal.id === bad ? 'deferred' : 'landed'),
      [{ proposal: bad as ProposalId, problem: 'wrong tree' }],
    );
    colony.do({ kind: 'commit-cycle', cycle });
    expect(colony.state.recentProposals.get(bad as ProposalId)?.row.status).toEqual({
      state: 'rejected',
      proposal: bad,
      reasons: [{ code: 'quarantined', message: 'wrong tree', path: null }],
    });
    expect(colony.state.recentProposals.get(good as ProposalId)?.row.status.state).toBe('landed');
    expect([...colony.state.preserving.values()]).toMatchObject([{ proposal: bad, why: 'quarantined' }]);
    expect([...colony.state.attention.values()]).toMatchObject([{ kind: 'quarantined', proposal: bad }]);
  });

  it('[C5c] parts whose predecessor is neither in the cycle nor on trunk are known', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const first = colony.propose(worker, [write('a')], { final: false });
    colony.cycle(() => 'returned');
    colony.propose(worker, [write('b')], { predecessor: first });
    start(colony);
    expect([...missingPredecessors(colony.state)]).toEqual([first]);
  });
});
