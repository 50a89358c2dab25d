import { describe, expect, it } from 'vitest';
import type { ReturnedWork } from './archived.ts';
import { back, oid, proposeCommand, read, repairCommand, Scenario, staleBrief, write } from './scenario.ts';
import { redoneShare } from './waste.ts';

/** The account that the last command told. */
function account(colony: Scenario): ReturnedWork | undefined {
  return colony.effects.find((effect) => effect.kind === 'archive-return')?.row;
}

function returnedWork(colony: Scenario) {
  const worker = colony.worker('worker');
  colony.now += 40_000;
  const writes = [write('a.ts'), write('b.ts'), write('c.ts'), write('d.ts')];
  const { proposal } = colony.do(proposeCommand(worker, { writes, reads: [read('r.ts')] }, { tokens: 1_000 }));
  colony.now += 5_000;
  colony.cycle((one) => back(staleBrief(colony, one.reads, 'lnd_x1'))(one));
  return { worker, proposal, writes };
}

describe('waste', () => {
  it('[R5] the work of a proposal that came back is booked in full, against the landings that caused it', () => {
    const colony = new Scenario();
    const { proposal } = returnedWork(colony);
    expect(account(colony)).toMatchObject({
      proposal,
      causes: ['lnd_x1'],
      redone: 1,
      wastedMs: 40_000,
      wastedTokens: 1_000,
    });
    expect(colony.state.totals).toMatchObject({ wastedMs: 40_000, wastedTokens: 1_000, workedMs: 40_000 });
  });

  it('[R5] [WA1] the repair tells what share was redone, and what it keeps is no waste', () => {
    const colony = new Scenario();
    const { worker, proposal, writes } = returnedWork(colony);
    colony.now += 3_000;
    const content = { writes: [write('d.ts', 9, writes[3]?.base ?? null)], reads: [] };
    const again = colony.do(repairCommand(worker, proposal, { answer: 'amend', content, tokens: 10 })).proposal;
    expect(account(colony)).toMatchObject({ proposal, redone: 0.25, wastedMs: 10_000, wastedTokens: 250 });
    expect(colony.state.totals).toMatchObject({ wastedMs: 10_000, wastedTokens: 250, workedMs: 43_000 });
    // The repair is work of its own: from the return on.
    colony.cycle((one) => back(staleBrief(colony, one.reads, 'lnd_x2'))(one));
    expect(account(colony)).toMatchObject({ proposal: again, causes: ['lnd_x2'], wastedMs: 3_000, wastedTokens: 10 });
    colony.do(repairCommand(worker, again));
    expect(account(colony)).toMatchObject({ redone: 0, wastedMs: 0 });
    expect(colony.state.totals).toMatchObject({ wastedMs: 10_000, wastedTokens: 250 });
  });

  it('[R5] a part of a chain is worked on from the part before it', () => {
    const colony = new Scenario();
    const worker = colony.worker('worker');
    colony.now += 10_000;
    colony.propose(worker, [write('a.ts')], { final: false });
    colony.now += 7_000;
    const second = colony.propose(worker, [write('b.ts')]);
    expect(colony.state.proposals.get(second)).toMatchObject({ workMs: 7_000 });
    expect(colony.state.totals.workedMs).toBe(17_000);
  });

  it('[R5] the share is what was changed, added or dropped of all that was or is written', () => {
    const one = [write('a.ts'), write('b.ts')];
    expect(redoneShare(one, one)).toBe(0);
    expect(redoneShare(one, [write('a.ts', 2), write('b.ts')])).toBe(0.5);
    expect(redoneShare(one, [write('a.ts'), write('b.ts'), write('c.ts')])).toBeCloseTo(1 / 3);
    expect(redoneShare(one, [write('a.ts')])).toBe(0.5);
    expect(redoneShare(one, [{ path: 'z.ts', base: null, after: { mode: '100644', oid: oid(1) } }])).toBe(1);
    expect(redoneShare([], [])).toBe(0);
  });
});
