// A data directory that an earlier version wrote opens with everything in it; one of a later version is refused by name.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Scene } from '../support/scene.ts';
import { makeFormer, makeLater } from './earlier-version.fixture.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

const said = (text: string) => daemon.log.filter((line) => line.includes(text)).length;

test('[RE6] [SE2] [ER1] landings, returns, leases and settings of an earlier version are all there', async () => {
  const scene = await Scene.open(daemon, 'former', { 'a.txt': 'one\n', 'b.txt': 'b\n' }, { maxAttempts: 3 });
  const working = await scene.take('at work meanwhile');
  const beaten = await scene.take('comes back');
  await scene.land('lands', [{ path: 'a.txt', content: 'two\n' }]);
  const returned = await scene.outcome(beaten, scene.propose(beaten, [{ path: 'a.txt', content: 'three\n' }]));
  expect(returned.state).toBe('returned');
  await scene.intent('still open');
  const before = await scene.expect(200, 'GET', '');
  await daemon.running.stop();
  const path = join(daemon.data, 'colonies', 'former', 'journal.db');
  expect(makeFormer(path)).toBeGreaterThan(0);

  await daemon.restart();
  expect(existsSync(`${path}.format-2.backup`)).toBe(true);
  expect(said('Upgraded from format 2 to 3')).toBe(1);
  expect(said('the state is made again from all events')).toBe(1);
  const after = await scene.expect(200, 'GET', '');
  for (const field of ['trunk', 'policy', 'intents', 'agents', 'proposals']) {
    expect(after[field], field).toEqual(before[field]);
  }
  const landed = await scene.outcome(working, scene.propose(working, [{ path: 'b.txt', content: 'c\n' }]));
  expect(landed.state).toBe('landed');
  const { lease, epoch, agent } = beaten;
  const repair = { lease, epoch, proposal: returned.proposal, answer: 'redo' };
  const writes = [{ path: 'a.txt', content: 'three\n' }];
  const answer = await scene.call('POST', '/repair?waitMs=60000', { ...repair, writes }, agent.token);
  expect(answer.body.state).toBe('landed');

  // The next snapshot is one of today.
  await daemon.restart();
  expect(said('the state is made again from all events')).toBe(1);
  expect((await scene.expect(200, 'GET', '/landings')).landings).toHaveLength(3);
  await daemon.running.stop();
  makeLater(path);
  await expect(daemon.restart()).rejects.toThrow('Use the version that wrote this journal, or a later one.');
}, 60_000);
