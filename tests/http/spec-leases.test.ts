// Claims and leases as the public interface shows them: who may act under which epoch, what time does, what is kept.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Story } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon);
});
afterAll(() => daemon.stop());

/** How strongly a path is claimed, and by whom. */
async function claim(path: string) {
  const { paths } = await story.admin(200, 'GET', '/field');
  return paths.find((row: { path: string }) => row.path === path) ?? { intensity: 0, agents: [] };
}

describe('claims', () => {
  test('[C1a] a take claims the predicted paths at full strength, which then fades', async () => {
    const worker = await story.work('claims', { paths: ['src/claimed.ts'] });
    const first = await claim('src/claimed.ts');
    expect(first.agents).toEqual([worker.agent.id]);
    expect(first.intensity).toBeGreaterThan(0.9);
    const faded = await story.until(
      () => claim('src/claimed.ts'),
      ({ intensity }) => intensity < first.intensity,
    );
    expect(faded.intensity).toBeGreaterThan(0.05);
  });

  test('[C1b] a heartbeat refreshes every claim of the lease, adds those that it names, and extends the lease', async () => {
    const worker = await story.work('refreshes', { paths: ['src/old.ts'] });
    const before = await claim('src/old.ts');
    await story.until(
      () => claim('src/old.ts'),
      ({ intensity }) => intensity < before.intensity,
    );
    const { expiresAt } = await worker.heartbeat(['src/more.ts']);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.parse(worker.expiresAt));
    expect((await claim('src/more.ts')).agents).toEqual([worker.agent.id]);
    expect((await claim('src/old.ts')).agents).toEqual([worker.agent.id]);
  });

  test('[C1b] [C1c] a claim that faded is gone, and the next heartbeat brings the predicted one back', async () => {
    await story.policy({ claimHalfLifeMs: 20 });
    const worker = await story.work('evaporates', { paths: ['src/gone.ts'] });
    await story.until(
      () => claim('src/gone.ts'),
      ({ agents }) => agents.length === 0,
    );
    await story.policy({ claimHalfLifeMs: 300_000 });
    await worker.heartbeat();
    expect((await claim('src/gone.ts')).agents).toEqual([worker.agent.id]);
  });

  test('[C1d] stopping an agent ends its token, leases and claims at once, in every region', async () => {
    const worker = await story.work('in one region', { paths: ['src/one.ts'] });
    const other = await story.intent('in another', { paths: ['docs/other.md'] });
    await story.take(worker.agent, { intent: other });
    await worker.stop();
    await story.scene.refused(401, 'unauthorized', 'POST', '/heartbeat', worker.holder, worker.agent.token);
    for (const path of ['src/one.ts', 'docs/other.md']) expect((await claim(path)).agents).toEqual([]);
    for (const intent of [worker.intent, other]) {
      expect(await story.read(intent)).toMatchObject({ state: 'open', attempts: 0, lease: null });
    }
    await worker.stop();
  });

  test('[C1d] what a stopped agent has queued still lands; what comes back is preserved and its intent opens', async () => {
    const lands = await story.work('lands after all');
    const comesBack = await story.work('comes back');
    await story.land('README first', { 'README.md': '# First\n' });
    await story.pause();
    await lands.send({ 'stopped.txt': 's\n' });
    await comesBack.send({ 'README.md': '# Second\n', 'kept.txt': 'kept\n' });
    for (const worker of [lands, comesBack]) await worker.stop();
    await story.resume();
    const state = (intent: string, wanted: string) =>
      story.until(
        () => story.read(intent),
        (read) => read.state === wanted,
      );
    await state(lands.intent, 'landed');
    expect(story.file('stopped.txt')).toBe('s\n');
    await state(comesBack.intent, 'open');
    const kept = await comesBack.preserved();
    expect(kept).toMatchObject({ proposal: comesBack.last, why: 'agent-stopped' });
    expect(story.git('show', `${kept.commit}:kept.txt`)).toBe('kept');
  });
});

describe('epochs', () => {
  const everyCall = [
    ['heartbeat', {}],
    ['release', {}],
    ['complete', { why: 'x' }],
    ['fail', { why: 'x' }],
    ['repair', { proposal: 'prp_none', answer: 'confirm' }],
  ] as const;

  test.each(everyCall)('[C2a] %s carries the lease and its epoch', async (verb, more) => {
    const worker = await story.work(`fenced ${verb}`);
    const other = await story.work(`stranger to ${verb}`);
    await worker.refused(409, 'stale_epoch', verb, { ...more, epoch: worker.epoch + 1 });
    await worker.refused(404, 'unknown_lease', verb, { ...more, lease: 'lse_nowhere' });
    await worker.refused(403, 'not_your_lease', verb, { ...more, ...other.holder });
    await worker.release();
    await worker.refused(409, 'stale_epoch', verb, more);
  });

  test('[C2a] so does propose, under an epoch that never was or a lease of someone else', async () => {
    const worker = await story.work('fenced propose');
    const other = await story.work('stranger to propose');
    await worker.proposeRefused(409, 'stale_epoch', { a: '1' }, { epoch: worker.epoch + 1 });
    await worker.proposeRefused(403, 'not_your_lease', { a: '1' }, other.holder);
    await worker.proposeRefused(404, 'unknown_lease', { a: '1' }, { lease: 'lse_nowhere' });
  });

  test('[C2b] epochs of an intent rise with every lease, also over a restart of the daemon', async () => {
    const first = await story.work('taken often');
    await first.release();
    const second = await story.take(first.agent, { intent: first.intent });
    expect(second.epoch).toBeGreaterThan(first.epoch);
    await daemon.restart();
    await second.heartbeat();
    await second.fail();
    const third = await story.take(first.agent, { intent: first.intent });
    expect(third.epoch).toBeGreaterThan(second.epoch);
    expect(third.lease).not.toBe(second.lease);
  });

  test('[C2c] a start gives every lease a full term, and claims their full strength', async () => {
    const worker = await story.work('sleeps through the restart', { paths: ['src/restart.ts'] });
    const before = await claim('src/restart.ts');
    await story.until(
      () => claim('src/restart.ts'),
      ({ intensity }) => intensity < before.intensity,
    );
    await story.policy({ leaseMs: 1 });
    const short = await story.work('has hardly any term');
    await story.policy({ leaseMs: 600_000 });
    await daemon.restart();
    expect((await claim('src/restart.ts')).agents).toEqual([worker.agent.id]);
    await worker.heartbeat();
    const { state, lease } = await story.read(short.intent);
    // Its term may have run out before the daemon stopped; if it did not, it was given a full one.
    if (lease !== null) await short.heartbeat();
    else expect(state).toBe('open');
  });
});

describe('time', () => {
  test('[C2d] a lease that runs out ends with one more attempt; late work is superseded and preserved', async () => {
    const worker = await story.work('too slow');
    await worker.expire();
    expect(await story.read(worker.intent)).toMatchObject({ attempts: 1, lease: null });
    const tip = story.git('rev-parse', 'main');
    const status = await worker.propose({ 'late.txt': 'late\n' }, { key: 'late' });
    expect(status.state).toBe('superseded');
    expect(await worker.propose({ 'late.txt': 'late\n' }, { key: 'late' })).toEqual(status);
    const kept = await worker.preserved();
    expect(kept).toMatchObject({ id: status.preserved, proposal: status.proposal, why: 'superseded' });
    expect(story.git('show', `${kept.ref}:late.txt`)).toBe('late');
    expect(story.git('rev-parse', 'main')).toBe(tip);
  });

  test('[C2d] [C4a] a late part of a chain is preserved too, on the parts before it', async () => {
    const worker = await story.work('a chain that is too slow');
    const { proposal } = await worker.landed({ 'chain-1.txt': '1\n' }, { final: false });
    await worker.expire();
    const late = await worker.propose({ 'chain-2.txt': '2\n' }, { base: { proposal } });
    expect(late.state).toBe('superseded');
    const kept = await worker.preserved();
    expect(story.git('show', `${kept.ref}:chain-2.txt`)).toBe('2');
  });

  test('[C3a] while a proposal is queued the clock of the lease stands still', async () => {
    const worker = await story.work('waits for trunk');
    await story.pause();
    await story.policy({ leaseMs: 1 });
    await worker.send({ 'stands-still.txt': '1\n' });
    expect((await worker.heartbeat()).expiresAt).toBeNull();
    expect(await story.read(worker.intent)).toMatchObject({ state: 'proposed', lease: worker.lease });
    await story.policy({ leaseMs: 600_000 });
    await story.resume();
    expect((await worker.outcome()).state).toBe('landed');
  });

  test('[C3b] [R2a] a return starts a window that heartbeats do not lengthen', async () => {
    const worker = await story.work('has a window');
    await worker.late(() => story.land('moves README', { 'README.md': '# Moved\n' }), { 'README.md': '# Mine\n' });
    const first = await worker.heartbeat();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await worker.heartbeat()).toEqual(first);
    expect((await worker.repair('amend', { 'README.md': '# Moved and mine\n' })).state).toBe('landed');
  });

  test.each([
    ['release', {}, 'released'],
    ['fail', { why: 'no' }, 'released'],
    ['complete', { why: 'no need' }, 'released'],
  ] as const)('[C4a] %s keeps the work that came back', async (verb, more, why) => {
    const worker = await story.work(`returned, then ${verb}`);
    await story.land(`moves README before ${verb}`, { 'README.md': `# Before ${verb}\n` });
    await worker.returned({ 'README.md': '# Mine\n', [`${verb}.txt`]: 'kept\n' });
    await worker.expect(200, 'POST', `/${verb}`, { ...worker.holder, ...more });
    const kept = await worker.preserved();
    expect(kept).toMatchObject({ proposal: worker.last, why });
    expect(story.git('show', `${kept.commit}:${verb}.txt`)).toBe('kept');
  });

  test('[C3b] [C4a] [C4b] when the window is over the lease ends, and the returned work is preserved', async () => {
    const worker = await story.work('misses its window');
    await story.land('moves README again', { 'README.md': '# Moved again\n' });
    await story.policy({ repairWindowMs: 1 });
    const status = await worker.propose({ 'README.md': '# Mine\n', 'window.txt': 'w\n' });
    await story.policy({ repairWindowMs: 600_000 });
    expect(status.state).toBe('returned');
    await story.until(
      () => story.read(worker.intent),
      ({ state }) => state === 'open',
    );
    expect(await story.read(worker.intent)).toMatchObject({ attempts: 1 });
    const kept = await worker.preserved();
    expect(kept).toMatchObject({ proposal: status.proposal, why: 'lease-expired' });
    expect(story.git('rev-parse', kept.ref)).toBe(kept.commit);
    expect(story.git('show', `${kept.commit}:window.txt`)).toBe('w');
    expect(await worker.open('window.txt', kept.commit)).toBe('w\n');
    await worker.refused(409, 'stale_epoch', 'repair', { proposal: status.proposal, answer: 'confirm' });
  });
});
