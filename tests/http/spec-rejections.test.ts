// What follows a rejection, as the public interface shows it. Only verification rejects in this version, so the trunk
// thread is made to build the commit of whatever is titled "victim" wrong.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Scene } from '../support/scene.ts';
import { Story } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  const roomModule = new URL('../faults/wrong-tree-room.ts', import.meta.url).href;
  daemon = await startTestDaemon({}, { roomModule, reached: () => undefined });
  await Scene.open(daemon, 'wrong-blob', { 'base.txt': 'base\n' });
  story = await Story.of(daemon, 'wrong-blob');
});
afterAll(() => daemon.stop());

test('[C6a] [L2b] after a rejection the lease stays, its work is kept, and something else may be proposed', async () => {
  const worker = await story.work('victim of the builder');
  const status = await worker.propose({ 'victim.txt': 'victim\n' });
  expect(status).toMatchObject({ state: 'rejected', reasons: [{ code: 'quarantined' }] });
  expect(await story.read(worker.intent)).toMatchObject({ state: 'taken', lease: worker.lease, attempts: 0 });
  expect(await worker.preserved()).toMatchObject({ proposal: status.proposal, why: 'quarantined' });
  await worker.refused(409, 'not_returned', 'repair', { proposal: status.proposal, answer: 'confirm' });
  const first = await worker.heartbeat();
  expect(await worker.heartbeat()).toEqual(first);
  await worker.landed({ 'better.txt': 'better\n' }, { title: 'Better' });
  expect(await story.read(worker.intent)).toMatchObject({ state: 'landed' });
});

test('[C6a] when its window is over, the attempt counts as failed', async () => {
  const worker = await story.work('victim once more');
  await story.policy({ repairWindowMs: 1 });
  expect((await worker.propose({ 'victim.txt': 'victim\n' })).state).toBe('rejected');
  await story.policy({ repairWindowMs: 600_000 });
  await story.until(
    () => story.read(worker.intent),
    ({ state }) => state === 'open',
  );
  expect(await story.read(worker.intent)).toMatchObject({ attempts: 1, lease: null });
  await worker.refused(409, 'stale_epoch', 'heartbeat');
});

test('[L2b] a part of a chain that was stopped takes the later parts back with it', async () => {
  const worker = await story.work('victim in a chain');
  await story.pause();
  const first = await worker.send({ 'victim.txt': 'victim\n' }, { final: false });
  const second = await worker.send({ 'after.txt': 'after\n' }, { base: { proposal: first }, title: 'After it' });
  await story.resume();
  expect((await worker.outcome(first)).state).toBe('rejected');
  expect(await worker.outcome(second)).toMatchObject({
    state: 'returned',
    brief: { writes: [{ path: 'after.txt', kind: 'chain' }] },
  });
  worker.last = second;
  expect((await worker.repair('confirm')).state).toBe('landed');
  expect(story.mode('victim.txt')).toBe('');
});
