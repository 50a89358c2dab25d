import { describe, expect, it } from 'vitest';
import { back, conflictBrief, proposeCommand, read, Scenario, write } from './scenario.ts';
import { proposalStatus } from './views.ts';

const one = { writes: [write('src/a.ts')], reads: [] };

describe('propose', () => {
  it('[G2] joins the lane of the region of most written paths', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const id = colony.propose(worker, [write('src/b/1.ts'), write('src/a/1.ts'), write('src/b/2.ts')]);
    expect(colony.state.proposals.get(id)).toMatchObject({ region: 'src/b', state: 'queued', takenAt: colony.now });
    expect(colony.kinds()).toEqual(['lanes-ready']);
  });

  it('[L5a] the same key is the same proposal before, in and after its cycle', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const command = proposeCommand(worker, one, { key: 'k' });
    const first = colony.do(command);
    expect(colony.do(command)).toEqual(first);
    const { cycle } = colony.do({ kind: 'start-cycle' });
    expect(colony.do(command)).toEqual(first);
    colony.intend();
    colony.do({ kind: 'commit-cycle', cycle: cycle ?? 'cyc_none' });
    expect(colony.do(command)).toMatchObject({ state: 'landed', proposal: first.proposal });
    colony.do({ kind: 'stop-agent', agent: worker.agent });
    expect(colony.do(command)).toMatchObject({ state: 'landed' });
    expect(colony.state.totals.landed).toBe(1);
  });

  it('[L5b] a key for other writes, another lease or by another agent is not the same', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const { proposal } = colony.do(proposeCommand(worker, one, { key: 'k' }));
    const other = { writes: [write('src/b.ts')], reads: [] };
    expect(colony.refused(proposeCommand(worker, other, { key: 'k' }))).toEqual({
      code: 'key_reused',
      key: 'k',
      proposal,
    });
    const intent = colony.intent('second');
    const { lease, epoch } = colony.grant(worker.agent, { intent });
    expect(colony.refused(proposeCommand({ ...worker, lease, epoch }, one, { key: 'k' })).code).toBe('key_reused');
    expect(colony.do(proposeCommand(colony.worker('b'), one, { key: 'k' })).proposal).not.toBe(proposal);
  });

  it('[C5a] one final proposal at a time', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const proposal = colony.propose(worker, one.writes);
    for (const final of [true, false]) {
      expect(colony.refused(proposeCommand(worker, one, { final }))).toEqual({
        code: 'proposal_pending',
        lease: worker.lease,
        proposal,
      });
    }
    colony.cycle(() => 'returned');
    expect(colony.refused(proposeCommand(worker, one)).code).toBe('proposal_pending');
  });

  it('[C5a] a proposal without writes is refused unless it closes a chain', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const nothing = { writes: [], reads: [read('x')] };
    expect(colony.refused(proposeCommand(worker, nothing)).code).toBe('no_change');
    colony.propose(worker, one.writes, { final: false });
    colony.do(proposeCommand(worker, nothing));
    colony.cycle((proposal) => (proposal.final ? 'unchanged' : 'landed'));
    expect(colony.state.totals).toMatchObject({ landed: 1, unchanged: 1, intentsLanded: 1 });
  });

  it('[C5b] a lease stays after a part that is not final, and the intent lands with its final part', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.propose(worker, one.writes, { final: false });
    colony.now += 400_000;
    colony.cycle();
    expect(colony.state.leases.get(worker.lease)).toMatchObject({ state: 'working', expiresAt: colony.now + 600_000 });
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'taken', landings: [expect.any(String)] });
    colony.propose(worker, [write('src/b.ts')]);
    colony.cycle();
    expect(colony.state.intents.size + colony.state.leases.size).toBe(0);
    expect(colony.state.totals).toMatchObject({ landed: 2, intentsLanded: 1, intentsClosed: 0 });
  });

  it('[C5c] parts of a chain follow each other; what is on trunk is needed no more', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const first = colony.propose(worker, [write('a')], { final: false });
    const second = colony.propose(worker, [write('b')], { final: false, predecessor: first });
    const third = colony.propose(worker, [write('c')], { final: false, predecessor: first });
    const predecessor = (id: typeof first) => colony.state.proposals.get(id)?.predecessor;
    expect([predecessor(first), predecessor(second), predecessor(third)]).toEqual([null, first, second]);
    colony.cycle((proposal) => (proposal.id === third ? 'deferred' : 'landed'));
    expect(predecessor(third)).toBeNull();
    const fourth = colony.propose(worker, [write('d')], { predecessor: second });
    expect(predecessor(fourth)).toBe(third);
    colony.cycle();
    expect(colony.state.totals.landed).toBe(4);
    const other = colony.worker('b');
    expect(colony.refused(proposeCommand(other, one, { predecessor: fourth }))).toEqual({
      code: 'unknown_predecessor',
      proposal: fourth,
    });
  });

  it('[C5d] while a return is out only a part that names its predecessor may be proposed', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const first = colony.propose(worker, [write('a')], { final: false });
    colony.cycle(back(conflictBrief(colony, 'a', 'content')));
    expect(colony.refused(proposeCommand(worker, one))).toMatchObject({ code: 'proposal_pending', proposal: first });
    const second = colony.propose(worker, [write('b')], { predecessor: first });
    expect(colony.state.leases.get(worker.lease)).toMatchObject({ state: 'proposed', expiresAt: null });
    colony.cycle(back(conflictBrief(colony, 'b', 'chain')));
    expect(colony.state.leases.get(worker.lease)).toMatchObject({ state: 'returned', proposals: [first, second] });
  });

  it('[A3] chains, writes, reads and the queue are bounded', () => {
    const limits = { chainLength: 2, writesPerProposal: 1, readsPerProposal: 1, queuedProposals: 3 };
    const colony = new Scenario({ limits });
    const worker = colony.worker('a');
    const refused = (content: typeof one, final = true) => colony.refused(proposeCommand(worker, content, { final }));
    expect(refused({ writes: [write('a'), write('b')], reads: [] })).toMatchObject({
      limit: 'writesPerProposal',
      bound: 1,
    });
    expect(refused({ ...one, reads: [read('a'), read('b')] } as never)).toMatchObject({ limit: 'readsPerProposal' });
    colony.propose(worker, [write('a')], { final: false });
    colony.propose(worker, [write('b')], { final: false });
    expect(refused(one)).toMatchObject({ limit: 'chainLength' });
    colony.propose(colony.worker('b'), [write('c')]);
    expect(colony.refused(proposeCommand(colony.worker('c'), one))).toMatchObject({
      limit: 'queuedProposals',
      bound: 3,
    });
  });

  it('[L7] a proposal has a status while it is live and just after', () => {
    const colony = new Scenario();
    const id = colony.propose(colony.worker('a'), one.writes);
    expect(proposalStatus(colony.state, id)).toEqual({ state: 'queued', proposal: id, heldBack: null });
    colony.cycle(() => 'rejected');
    expect(proposalStatus(colony.state, id)).toMatchObject({ state: 'rejected', reasons: [{ code: 'test' }] });
    expect(proposalStatus(colony.state, 'prp_nope')).toBeNull();
  });
});
