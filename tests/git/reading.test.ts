// Clones and fetches by stock git: whole, shallow, partial, in each version of the protocol, and many at once.

import { request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { GitPeople } from './git-people.ts';

// Stock git is a process for each step; a machine that is busy takes long to start them all.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let daemon: TestDaemon;
let people: GitPeople;
beforeAll(async () => {
  daemon = await startTestDaemon({ gitReaders: 2 });
  people = await GitPeople.open(daemon, 'web', { 'README.md': '# Web\n', 'src/a.ts': 'export const a = 1;\n' });
  await people.scene.land('Second', [{ path: 'src/b.ts', content: 'export const b = 2;\n' }]);
});
afterAll(() => daemon.stop());

test('a shallow clone and a partial one are read and pushed from', async () => {
  const agent = await people.scene.agent('Ada');
  const shallow = await people.clone(agent, 'Ada', '--depth=1');
  expect(await shallow.git('rev-list', '--count', 'HEAD')).toBe('1');
  const partial = await people.clone(agent, 'Ada', '--filter=blob:none', '--no-checkout');
  expect(await partial.git('rev-list', '--objects', '--missing=print', '--all')).toMatch(/^\?/m);
  expect(await partial.git('show', 'HEAD:src/b.ts')).toBe('export const b = 2;');
  await shallow.commit('From a shallow clone', { 'shallow.txt': 'shallow\n' });
  expect((await shallow.push()).said).toContain('landed on main');
});

test('the first and the second version of the protocol show the same refs, and nothing that is hidden', async () => {
  const agent = await people.scene.agent('Bob');
  const clone = await people.clone(agent, 'Bob');
  const first = await clone.git('-c', 'protocol.version=0', 'ls-remote', 'origin');
  const second = await clone.git('-c', 'protocol.version=2', 'ls-remote', 'origin');
  expect(second).toBe(first);
  expect(second.match(/refs\/\S+/g)).toEqual(['refs/heads/main', 'refs/notes/firetrident']);
  // Nothing has passed any checks while there are none.
  const green = await clone.run('fetch', 'origin', 'green');
  expect(green.code).not.toBe(0);
  expect(green.said).toContain("couldn't find remote ref green");
  expect((await clone.run('push', 'origin', 'HEAD:refs/heads/green')).said).toMatch(/remote rejected.*green/);
});

/** Begins to ask for a fetch, and says nothing more. */
function silentReader(token: string) {
  const url = new URL(people.address(null));
  const call = request({
    host: url.hostname,
    port: url.port,
    method: 'POST',
    path: '/git/web/git-upload-pack',
    headers: { authorization: `Bearer ${token}`, 'content-length': 1_000 },
  });
  call.on('error', () => undefined);
  call.write('0011command');
  return call;
}

test('more readers than places are all served, and a landing does not wait for them', async () => {
  const agent = await people.scene.agent('Many');
  const served = async (count: number) => {
    const line = `firetrident_git_readers{state="served"} ${count}`;
    while (!(await daemon.call('GET', '/metrics')).bytes.toString('utf8').includes(line)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  // Two readers that say nothing hold both places until they are cut off.
  const silent = [silentReader(agent.token), silentReader(agent.token)];
  await served(2);
  const clones = Array.from({ length: 6 }, () => people.clone(agent, 'Many', '--bare'));
  await people.scene.land('Meanwhile', [{ path: 'meanwhile.txt', content: 'x\n' }]);
  // It landed while both places were held and others stood in line.
  await served(2);
  for (const reader of silent) reader.destroy();
  for (const clone of await Promise.all(clones)) expect(await clone.git('fsck', '--strict')).toBe('');
  await served(0);
});
