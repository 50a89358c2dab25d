import { describe, expect, it } from 'vitest';
import type { Proposal, ResolvedRead } from './model.ts';
import {
  back,
  conflictBrief,
  file,
  oid,
  proposeCommand,
  read,
  repairCommand,
  Scenario,
  staleBrief,
  type Worker,
  write,
} from './scenario.ts';

/** A colony in which one proposal has come back for its reads. */
function withReturn(reads: readonly ResolvedRead[] = [read('src/r.ts')]) {
  const colony = new Scenario();
  const worker = colony.worker('a');
  const writes = [write('src/a.ts', 1), write('src/b.ts', 2, file(20))];
  const { proposal } = colony.do(proposeCommand(worker, { writes, reads }, { title: 'title', message: 'message' }));
  colony.do({ kind: 'set-paused', paused: true, tip: colony.state.tip });
  colony.do({ kind: 'set-paused', paused: false, tip: colony.state.tip });
  colony.cycle(() => 'returned');
  return { colony, worker, proposal, writes };
}

function live(colony: Scenario, id: string): Proposal | undefined {
  return colony.state.proposals.get(id as Proposal['id']);
}

describe('repair', () => {
  it('[R2b] the return keeps its outcome and is archived; the repair names it and carries the causes', () => {
    const { colony, worker, proposal } = withReturn([read('src/r.ts'), read('src/s.ts')]);
    const second = colony.repair(worker, proposal);
    expect(colony.effects).toContainEqual(
      expect.objectContaining({
        kind: 'archive-proposal',
        id: proposal,
        row: expect.objectContaining({ status: expect.objectContaining({ state: 'returned' }) }),
      }),
    );
    const past = { proposal, causes: ['lnd_x000001'] };
    expect(live(colony, second)).toMatchObject({
      repairOf: proposal,
      returns: [past],
      title: 'title',
      message: 'message',
      final: true,
    });
    colony.cycle((one) => ({
      kind: 'returned',
      proposal: one.id,
      brief: staleBrief(colony, one.reads, 'lnd_x000002'),
    }));
    const third = colony.repair(worker, second);
    expect(live(colony, third)?.returns).toEqual([past, { proposal: second, causes: ['lnd_x000002'] }]);
    colony.cycle();
    expect(colony.state.totals).toMatchObject({ returned: 2, landed: 1 });
    expect(colony.effects).toContainEqual(
      expect.objectContaining({
        kind: 'archive-landing',
        row: expect.objectContaining({ returns: expect.arrayContaining([past]) }),
      }),
    );
  });

  it('[R3a] confirm takes everything over and rests every named read on what the brief shows', () => {
    const reads: ResolvedRead[] = [
      read('src/r.ts'),
      { kind: 'dir', path: 'src', at: oid(0), basis: 'old' },
      { kind: 'symbol', path: 'src/r.ts', symbol: 'parse', signature: true, at: oid(0), basis: 'old' },
    ];
    const { colony, worker, proposal, writes } = withReturn(reads);
    const second = live(colony, colony.repair(worker, proposal));
    expect(second?.writes).toEqual(writes);
    expect(second?.reads).toEqual(reads.map((one) => ({ ...one, at: colony.state.tip, basis: oid(77) })));
  });

  it('[R3a] confirm leaves reads alone that did not move', () => {
    const still = read('src/still.ts', 5);
    const colony = new Scenario();
    const worker = colony.worker('a');
    const moved = read('src/moved.ts');
    const { proposal } = colony.do(proposeCommand(worker, { writes: [write('a')], reads: [still, moved] }));
    colony.cycle((one) => ({ kind: 'returned', proposal: one.id, brief: staleBrief(colony, [moved]) }));
    expect(live(colony, colony.repair(worker, proposal))?.reads).toEqual([
      still,
      { ...moved, at: colony.state.tip, basis: oid(77) },
    ]);
  });

  it('[R3a] confirm is refused when a write conflicts, not when only the chain came back', () => {
    for (const [kind, refused] of [
      ['content', true],
      ['chain', false],
    ] as const) {
      const colony = new Scenario();
      const worker = colony.worker('a');
      const proposal = colony.propose(worker, [write('src/a.ts')]);
      colony.cycle(back(conflictBrief(colony, 'src/a.ts', kind)));
      const { reply } = colony.apply(repairCommand(worker, proposal));
      expect(reply).toMatchObject(
        refused ? { error: { code: 'confirm_needs_writes', proposal, path: 'src/a.ts' } } : { ok: true },
      );
    }
  });

  it('[R3b] amend replaces what is sent again and keeps the base of everything else', () => {
    const { colony, worker, proposal, writes } = withReturn([read('src/r.ts'), read('src/s.ts')]);
    const content = { writes: [write('src/a.ts', 9, file(8))], reads: [read('src/s.ts', 4)] };
    const second = live(colony, colony.repair(worker, proposal, { answer: 'amend', content }));
    expect(second?.writes).toEqual([writes[1], content.writes[0]]);
    expect(second?.reads).toEqual([{ ...read('src/r.ts'), at: colony.state.tip, basis: oid(77) }, content.reads[0]]);
  });

  it('[R3c] redo is only what is sent', () => {
    const { colony, worker, proposal } = withReturn();
    const content = { writes: [write('src/z.ts', 9)], reads: [] };
    expect(
      colony.refused(repairCommand(worker, proposal, { answer: 'redo', content: { writes: [], reads: [] } })).code,
    ).toBe('no_change');
    const second = live(colony, colony.repair(worker, proposal, { answer: 'redo', content }));
    expect(second).toMatchObject({ ...content, base: colony.state.tip });
  });

  it('[R2c] only a return that is still out can be repaired', () => {
    const { colony, worker, proposal } = withReturn();
    expect(colony.refused(repairCommand(worker, 'prp_nope'))).toEqual({
      code: 'unknown_proposal',
      proposal: 'prp_nope',
    });
    const second = colony.repair(worker, proposal);
    for (const id of [proposal, second]) expect(colony.refused(repairCommand(worker, id)).code).toBe('not_returned');
    colony.cycle();
    expect(colony.refused(repairCommand(worker, second)).code).toBe('stale_epoch');
  });

  it('[L5b] the same key is the same answer, for another return it is reused', () => {
    const { colony, worker, proposal } = withReturn();
    const command = repairCommand(worker, proposal, { key: 'k' });
    const first = colony.do(command);
    expect(colony.do(command)).toEqual(first);
    colony.cycle(() => 'returned');
    expect(colony.do(command)).toMatchObject({ state: 'returned', proposal: first.proposal });
    expect(colony.refused({ ...command, proposal: first.proposal }).code).toBe('key_reused');
    colony.do(repairCommand(worker, first.proposal, { key: 'k2' }));
    colony.cycle();
    expect(colony.do(command)).toMatchObject({ state: 'returned', proposal: first.proposal });
  });

  it('[R2c] [O3b] a chain is repaired in order, each part in its place', () => {
    const colony = new Scenario();
    const worker: Worker = colony.worker('a');
    const first = colony.propose(worker, [write('a')], { final: false });
    const second = colony.propose(worker, [write('b')], { final: false });
    const last = colony.propose(worker, [write('c')]);
    colony.cycle((one) => ({
      kind: 'returned',
      proposal: one.id,
      brief: conflictBrief(colony, 'a', one.id === first ? 'content' : 'chain'),
    }));
    expect(colony.refused(repairCommand(worker, second))).toEqual({
      code: 'repair_out_of_order',
      proposal: second,
      predecessor: first,
    });
    expect(colony.refused(repairCommand(worker, last))).toMatchObject({ predecessor: first });
    const again = colony.repair(worker, first, { answer: 'redo', content: { writes: [write('a', 2)], reads: [] } });
    expect(live(colony, again)?.final).toBe(false);
    expect(colony.state.leases.get(worker.lease)?.proposals).toEqual([again, second, last]);
    const secondAgain = colony.repair(worker, second);
    expect(live(colony, secondAgain)?.predecessor).toBe(again);
    colony.cycle();
    expect(colony.state.leases.get(worker.lease)).toMatchObject({ state: 'returned', proposals: [last] });
    const lastAgain = colony.repair(worker, last);
    expect(live(colony, lastAgain)).toMatchObject({ predecessor: null, final: true });
    colony.cycle();
    expect(colony.state.totals).toMatchObject({ landed: 3, intentsLanded: 1 });
  });

  it('[R2c] a part that joined the returned chain late comes back and is repaired after it', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const first = colony.propose(worker, [write('a')], { final: false });
    colony.cycle(() => 'returned');
    const late = colony.propose(worker, [write('b')], { predecessor: first });
    const again = colony.repair(worker, first);
    colony.cycle((one) =>
      one.id === late ? { kind: 'returned', proposal: late, brief: conflictBrief(colony, 'b', 'chain') } : 'landed',
    );
    expect(colony.state.leases.get(worker.lease)?.proposals).toEqual([late]);
    expect(live(colony, again)).toBeUndefined();
    colony.repair(worker, late);
    colony.cycle();
    expect(colony.state.totals.intentsLanded).toBe(1);
  });

  it('[A3] the queue is bounded for repairs too', () => {
    const colony = new Scenario({ limits: { queuedProposals: 1 } });
    const worker = colony.worker('a');
    const proposal = colony.propose(worker, [write('a')]);
    colony.cycle(() => 'returned');
    colony.propose(colony.worker('b'), [write('b')]);
    expect(colony.refused(repairCommand(worker, proposal))).toMatchObject({ limit: 'queuedProposals' });
  });
});
