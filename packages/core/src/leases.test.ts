import { describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { replay } from './replay.ts';
import { back, oid, proposeCommand, read, Scenario, staleBrief, takeCommand, type Worker, write } from './scenario.ts';

const content = { writes: [write('src/a.ts')], reads: [] };

function leaseOf(colony: Scenario, worker: Worker) {
  return colony.state.leases.get(worker.lease);
}

function intentState(colony: Scenario, worker: Worker) {
  return colony.state.intents.get(worker.intent)?.state;
}

describe('claims and leases', () => {
  it('[C1a] a take claims the predicted paths', () => {
    const colony = new Scenario();
    const worker = colony.worker('a', { paths: ['src/a/**', 'docs/x.md'] });
    expect(leaseOf(colony, worker)?.claims).toEqual(['src/a/**', 'docs/x.md']);
  });

  it('[C1b] a heartbeat extends the lease, widens the claims and refreshes them', () => {
    const colony = new Scenario();
    const worker = colony.worker('a', { paths: ['src/a/**'] });
    const clash = colony.intent('clash', { paths: ['lib/x.ts'] });
    colony.now += 300_000;
    const { expiresAt } = colony.do({ kind: 'heartbeat', ...worker, claims: ['lib/**', 'src/a/**'] });
    expect(expiresAt).toBe(colony.now + 600_000);
    expect(leaseOf(colony, worker)).toMatchObject({ claims: ['src/a/**', 'lib/**'], refreshedAt: colony.now });
    expect(colony.take(colony.agent('b'))).toMatchObject({ kind: 'wait' });
    expect(colony.state.intents.get(clash)?.state).toBe('open');
  });

  it('[C1c] claims below 0.05 are gone; the next heartbeat brings the predicted ones back', () => {
    const colony = new Scenario({ claimHalfLifeMs: 1_000 });
    const worker = colony.worker('a', { paths: ['src/a/**'] });
    colony.do({ kind: 'heartbeat', ...worker, claims: ['extra.ts'] });
    colony.intent('clash', { paths: ['src/a/x.ts'] });
    colony.pass(4_300);
    expect(leaseOf(colony, worker)?.claims).toHaveLength(2);
    colony.pass(100);
    expect(leaseOf(colony, worker)?.claims).toEqual([]);
    expect(colony.kinds()).toEqual(['work-available']);
    colony.do({ kind: 'heartbeat', ...worker, claims: [] });
    expect(leaseOf(colony, worker)?.claims).toEqual(['src/a/**']);
  });

  it('[C1d] stopping an agent releases all it holds at once, in every region, and keeps its returned work', () => {
    const colony = new Scenario();
    const worker = colony.worker('a', { paths: ['src/a/**'] });
    const other = colony.intent('other', { paths: ['lib/**'] });
    colony.grant(worker.agent, { intent: other });
    const proposal = colony.propose(worker, [write('src/a/x.ts')]);
    colony.cycle(() => 'returned');
    colony.do({ kind: 'stop-agent', agent: worker.agent });
    expect(colony.kinds()).toEqual(['preserve', 'archive-proposal', 'work-available']);
    expect([...colony.state.preserving.values()]).toMatchObject([{ proposal, why: 'agent-stopped' }]);
    expect(colony.state.leases.size).toBe(0);
    expect(intentState(colony, worker)).toBe('open');
    expect(colony.state.intents.get(worker.intent)?.attempts).toBe(0);
    expect(colony.state.agents.size).toBe(0);
    colony.do({ kind: 'stop-agent', agent: worker.agent });
    expect(colony.refused({ kind: 'stop-agent', agent: 'agt_nope' }).code).toBe('unknown_agent');
  });

  it('[C1d] what a stopped agent has queued still lands', () => {
    const colony = new Scenario();
    const worker = colony.worker('a', { paths: ['src/a/**'] });
    colony.propose(worker, [write('src/a/x.ts')]);
    colony.do({ kind: 'stop-agent', agent: worker.agent });
    expect(leaseOf(colony, worker)?.claims).toEqual([]);
    expect(colony.refused(takeCommand(worker.agent)).code).toBe('agent_stopped');
    colony.cycle();
    expect(colony.state.totals).toMatchObject({ landed: 1, intentsLanded: 1 });
    expect(colony.state.agents.size).toBe(0);
  });

  it('[C1d] what comes back to a stopped agent is preserved, and a rejection counts as a failed attempt', () => {
    for (const [kind, attempts, why] of [
      ['returned', 0, 'agent-stopped'],
      ['rejected', 1, 'rejected'],
    ] as const) {
      const colony = new Scenario();
      const worker = colony.worker('a');
      colony.propose(worker, [write('src/a/x.ts')]);
      colony.do({ kind: 'stop-agent', agent: worker.agent });
      colony.cycle(() => kind);
      expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts });
      expect([...colony.state.preserving.values()]).toMatchObject([{ why }]);
      expect(colony.state.leases.size + colony.state.agents.size).toBe(0);
    }
  });

  it('[C2a] a call carries the lease and its epoch', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const other = colony.agent('b');
    const beat = { kind: 'heartbeat', ...worker, claims: [] } as const;
    expect(colony.refused({ ...beat, agent: other })).toEqual({ code: 'not_your_lease', lease: worker.lease });
    expect(colony.refused({ ...beat, epoch: worker.epoch - 1 })).toEqual({
      code: 'stale_epoch',
      lease: worker.lease,
      epoch: worker.epoch - 1,
      current: worker.epoch,
    });
    expect(colony.refused({ ...beat, epoch: worker.epoch + 1 }).code).toBe('stale_epoch');
    expect(colony.refused({ ...beat, lease: 'lse_nope' })).toEqual({ code: 'unknown_lease', lease: 'lse_nope' });
    expect(colony.refused({ ...beat, agent: 'agt_nope' }).code).toBe('unknown_agent');
  });

  it('[C2a] every call under a lease that is over is stale, whoever has the intent now', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.pass(600_000);
    const beat = { kind: 'heartbeat', ...worker, claims: [] } as const;
    expect(colony.refused(beat)).toMatchObject({ code: 'stale_epoch', current: worker.epoch + 1 });
    const next = colony.grant(colony.agent('b'), { intent: worker.intent });
    expect(next.epoch).toBeGreaterThan(worker.epoch + 1);
    for (const kind of ['release', 'fail', 'complete'] as const) {
      expect(colony.refused({ kind, ...worker, why: 'w' } as Command)).toMatchObject({
        code: 'stale_epoch',
        current: next.epoch,
      });
    }
    expect(colony.refused(beat).code).toBe('stale_epoch');
    const repair = {
      kind: 'repair',
      ...worker,
      proposal: 'prp_x',
      answer: 'confirm',
      base: null,
      key: null,
      content: null,
    } as const;
    expect(colony.refused(repair).code).toBe('stale_epoch');
  });

  it('[C2b] epochs rise strictly, over releases, expiries and starts', () => {
    const colony = new Scenario();
    const intent = colony.intent('a');
    const agent = colony.agent('x');
    const epochs: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const { lease, epoch } = colony.grant(agent, { intent });
      epochs.push(epoch);
      if (round % 2 === 0) colony.do({ kind: 'release', agent, lease, epoch, why: null });
      else colony.do({ kind: 'edit-intent', intent, change: { state: 'abandoned' } });
      if (round % 2 === 1) colony.do({ kind: 'edit-intent', intent, change: { state: 'open' } });
      if (round === 2) colony.do({ kind: 'boot' });
    }
    expect([...epochs].sort((left, right) => left - right)).toEqual(epochs);
    expect(new Set(epochs).size).toBe(6);
  });

  it('[C2b] what was granted and then lost with a torn journal is never granted again', () => {
    const colony = new Scenario();
    const intent = colony.intent('a');
    const agent = colony.agent('x');
    const durable = colony.events.length;
    const lost = colony.grant(agent, { intent });
    const after = new Scenario();
    after.events.splice(0, Number.POSITIVE_INFINITY, ...colony.events.slice(0, durable));
    after.state = replay(after.events);
    after.do({ kind: 'boot' });
    const granted = after.grant(agent, { intent });
    expect(granted.epoch).toBeGreaterThan(lost.epoch);
    expect(granted.lease).not.toBe(lost.lease);
  });

  it('[C2c] a start gives every lease a full term, and a return a full window', () => {
    const colony = new Scenario();
    const working = colony.worker('a', { paths: ['src/a/**'] });
    const returned = colony.worker('b');
    const queued = colony.worker('c');
    colony.propose(returned, [write('src/b.ts')]);
    colony.cycle(() => 'returned');
    colony.propose(queued, [write('src/c.ts')]);
    colony.now += 500_000;
    colony.do({ kind: 'boot' });
    expect(leaseOf(colony, working)?.expiresAt).toBe(colony.now + 600_000);
    expect(leaseOf(colony, working)?.refreshedAt).toBe(colony.now);
    expect(leaseOf(colony, returned)).toMatchObject({
      expiresAt: colony.now + 600_000,
      windowEndsAt: colony.now + 600_000,
    });
    expect(leaseOf(colony, queued)?.expiresAt).toBeNull();
    expect(colony.kinds()).toEqual(['lanes-ready']);
  });

  it('[C2d] a lease that runs out reopens the intent with one more attempt', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.pass(599_999);
    expect(intentState(colony, worker)).toBe('taken');
    colony.pass(1);
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts: 1, lease: null });
    expect(colony.kinds()).toEqual(['work-available']);
  });

  it('[C2d] [C4a] a late propose is superseded and preserved, with the same answer for the same key', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.pass(600_000);
    const next = colony.worker('b');
    const tip = colony.state.tip;
    const command = proposeCommand(worker, content, { key: 'k' });
    const status = colony.do(command);
    expect(status.state).toBe('superseded');
    expect(colony.kinds()).toEqual(['preserve', 'archive-proposal', 'settled']);
    const preserved = status.state === 'superseded' ? status.preserved : null;
    expect(colony.effects[0]).toMatchObject({
      kind: 'preserve',
      preserved: { id: preserved, writes: content.writes, why: 'superseded' },
    });
    expect(colony.do(command)).toEqual(status);
    expect(colony.kinds()).toEqual([]);
    expect(colony.state.tip).toBe(tip);
    expect(colony.state.queue).toEqual([]);
    expect(leaseOf(colony, next)?.state).toBe('working');
    expect(colony.do(proposeCommand(worker, { writes: [], reads: [] }))).toMatchObject({
      state: 'superseded',
      preserved: null,
    });
  });

  it('[C2d] a propose with an older epoch of a live lease is superseded, with an invented one refused', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    expect(colony.do(proposeCommand({ ...worker, epoch: worker.epoch - 1 }, content)).state).toBe('superseded');
    expect(colony.refused(proposeCommand({ ...worker, epoch: worker.epoch + 1 }, content)).code).toBe('stale_epoch');
    expect(colony.refused(proposeCommand({ ...worker, agent: colony.agent('b') }, content)).code).toBe(
      'not_your_lease',
    );
    expect(colony.refused(proposeCommand({ ...worker, lease: 'lse_nope' }, content)).code).toBe('unknown_lease');
  });

  it('[C3a] the clock stands still while a proposal is queued', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.propose(worker, [write('src/a.ts')]);
    expect(intentState(colony, worker)).toBe('proposed');
    colony.pass(10_000_000);
    expect(intentState(colony, worker)).toBe('proposed');
    expect(colony.do({ kind: 'heartbeat', ...worker, claims: [] })).toEqual({ expiresAt: null });
    for (const kind of ['release', 'fail', 'complete'] as const) {
      expect(colony.refused({ kind, ...worker, why: 'w' } as Command).code).toBe('proposal_pending');
    }
  });

  it('[C3b] [R2a] a return starts the window, heartbeats do not lengthen it, and its end preserves the work', () => {
    const colony = new Scenario({ repairWindowMs: 5_000 });
    const worker = colony.worker('a');
    const proposal = colony.propose(worker, [write('src/a.ts')]);
    colony.cycle(() => 'returned');
    const end = colony.now + 5_000;
    expect(leaseOf(colony, worker)).toMatchObject({ state: 'returned', expiresAt: end });
    colony.pass(3_000);
    expect(colony.do({ kind: 'heartbeat', ...worker, claims: [] })).toEqual({ expiresAt: end });
    colony.pass(2_000);
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts: 1, returns: 1 });
    expect([...colony.state.preserving.values()]).toMatchObject([{ proposal, why: 'lease-expired' }]);
    expect(colony.effects.map((effect) => effect.kind)).toEqual(['preserve', 'archive-proposal', 'work-available']);
    expect(colony.effects[1]).toMatchObject({ id: proposal, row: { status: { state: 'returned' } } });
  });

  it('[C4b] preserved work keeps its writes until the ref stands, then its commit; a start asks again', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.pass(600_000);
    colony.do(proposeCommand(worker, content));
    const [asked] = [...colony.state.preserving.values()];
    colony.do({ kind: 'boot' });
    expect(colony.effects).toContainEqual({ kind: 'preserve', preserved: asked });
    const command = { kind: 'record-preserved', preserved: asked?.id ?? 'prs_nope', commit: oid(9) } as const;
    colony.do(command);
    expect(colony.state.preserving.size).toBe(0);
    expect(colony.state.preserved.get(command.preserved)).toMatchObject({ commit: oid(9), writes: [] });
    expect(colony.apply(command).events).toEqual([]);
  });

  it('[C6a] after a rejection the lease stays for the window and may propose again, then counts as failed', () => {
    const colony = new Scenario({ repairWindowMs: 5_000 });
    const worker = colony.worker('a');
    colony.propose(worker, [write('src/a.ts')]);
    colony.cycle(() => 'rejected');
    expect([...colony.state.preserving.values()]).toMatchObject([{ why: 'rejected' }]);
    expect(leaseOf(colony, worker)).toMatchObject({ state: 'working', expiresAt: colony.now + 5_000 });
    colony.pass(4_000);
    expect(colony.do({ kind: 'heartbeat', ...worker, claims: [] })).toEqual({ expiresAt: colony.now + 1_000 });
    colony.propose(worker, [write('src/b.ts')]);
    colony.cycle(() => 'rejected');
    colony.pass(5_000);
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts: 1 });
  });

  it('[T8a] complete closes the intent with its reason, or lands it when a part of it landed', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.do({ kind: 'complete', ...worker, why: 'was done already' });
    expect(colony.effects).toContainEqual({
      kind: 'archive-intent',
      id: worker.intent,
      key: null,
      row: expect.objectContaining({ state: 'closed', reason: 'was done already' }),
    });
    const chain = colony.worker('b');
    colony.propose(chain, [write('src/a.ts')], { final: false });
    colony.cycle();
    colony.do({ kind: 'complete', ...chain, why: 'that was all' });
    expect(colony.state.totals).toMatchObject({ intentsClosed: 1, intentsLanded: 1 });
  });

  it('[T8b] [T8c] failing counts an attempt, and too many of them block the intent', () => {
    const colony = new Scenario({ maxAttempts: 2 });
    const worker = colony.worker('a');
    colony.do({ kind: 'fail', ...worker, why: 'one' });
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts: 1, reason: 'one' });
    const { lease, epoch } = colony.grant(worker.agent);
    colony.do({ kind: 'fail', agent: worker.agent, lease, epoch, why: 'two' });
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'blocked', attempts: 2, reason: 'two' });
    expect([...colony.state.attention.values()]).toMatchObject([{ kind: 'intent-blocked', intent: worker.intent }]);
    expect(colony.take(worker.agent)).toMatchObject({ kind: 'wait', reason: 'no open intent' });
  });

  it('[T8d] a release counts no attempt', () => {
    const colony = new Scenario({ maxAttempts: 1 });
    const worker = colony.worker('a');
    colony.do({ kind: 'release', ...worker, why: 'too hard' });
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts: 0, reason: 'too hard' });
  });

  it('[V1c] a file that was served counts no more once it is written, or named as moved by a return', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const record = { kind: 'record-read', lease: worker.lease, blob: oid(1), at: oid(0) } as const;
    for (const path of ['written', 'moved', 'read again', 'still']) colony.do({ ...record, path });
    const proposal = colony.propose(worker, [write('written')], {
      content: { writes: [write('written')], reads: [read('moved'), read('read again')] },
    });
    colony.do({ ...record, path: 'read again', at: oid(7) });
    colony.cycle(back(staleBrief(colony, [read('moved'), read('read again')])));
    expect(colony.state.proposals.get(proposal)?.state).toBe('returned');
    expect([...(leaseOf(colony, worker)?.recorded.keys() ?? [])]).toEqual(['read again', 'still']);
  });

  it('[A3] claims and recorded reads are bounded; of two readings the later counts', () => {
    const colony = new Scenario({ limits: { claimsPerLease: 1, recordedReadsPerLease: 1 } });
    const worker = colony.worker('a', { paths: ['a'] });
    expect(colony.refused({ kind: 'heartbeat', ...worker, claims: ['b'] })).toMatchObject({ limit: 'claimsPerLease' });
    const record = { kind: 'record-read', lease: worker.lease, path: 'a', blob: oid(1), at: oid(0) } as const;
    colony.do(record);
    expect(colony.apply(record).events).toEqual([]);
    colony.do({ ...record, blob: oid(2) });
    expect(leaseOf(colony, worker)?.recorded.get('a')).toEqual({ blob: oid(2), at: oid(0) });
    expect(colony.refused({ ...record, path: 'b' })).toMatchObject({ limit: 'recordedReadsPerLease' });
    expect(colony.refused({ ...record, lease: 'lse_nope' }).code).toBe('unknown_lease');
  });
});
