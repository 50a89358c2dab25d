// What stock git prints of a history, read back.

import { mkdirSync, writeFileSync } from 'node:fs';
import { readRecentChanges } from '@firetrident/trunk';
import { expect, it } from 'vitest';
import { NodeGit } from './git.ts';
import { GitSandbox } from './git-sandbox.fixture.ts';

it('[T5b] the newest commits come oldest first, with their titles and paths, merges left out', async () => {
  using sandbox = new GitSandbox();
  sandbox.git(['init', '-q', '-b', 'main', 'source']);
  const commit = (title: string, ...paths: readonly string[]) => {
    for (const path of paths) writeFileSync(sandbox.path(`source/${path}`), title);
    sandbox.git(['-C', 'source', 'add', '.']);
    sandbox.git(['-C', 'source', 'commit', '-q', '--allow-empty', '-m', title]);
  };
  mkdirSync(sandbox.path('source/dir'));
  commit('oldest', 'a.txt');
  commit('first', 'a.txt', 'dir/ü b.txt');
  commit('nothing');
  sandbox.git(['-C', 'source', 'switch', '-q', '-c', 'side']);
  commit('on the side\n\nwith a body', 'side.txt');
  sandbox.git(['-C', 'source', 'switch', '-q', 'main']);
  sandbox.git(['-C', 'source', 'merge', '-q', '--no-ff', '-m', 'merged', 'side']);
  sandbox.git(['-C', 'source', 'mv', 'a.txt', 'c.txt']);
  commit('renamed');
  const changes = await readRecentChanges(new NodeGit(), sandbox.path('source/.git'), 'main', 5);
  // Commits of one second on two branches have no order among themselves.
  expect([changes[0]?.title, changes.at(-1)]).toEqual(['oldest', { title: 'renamed', paths: ['a.txt', 'c.txt'] }]);
  expect(new Map(changes.map(({ title, paths }) => [title, paths]))).toEqual(
    new Map([
      ['oldest', ['a.txt']],
      ['first', ['a.txt', 'dir/ü b.txt']],
      ['nothing', []],
      ['on the side', ['side.txt']],
      ['renamed', ['a.txt', 'c.txt']],
    ]),
  );
  expect(await readRecentChanges(new NodeGit(), sandbox.path('source/.git'), 'main', 1)).toHaveLength(1);
  await expect(readRecentChanges(new NodeGit(), sandbox.path('source/.git'), 'nope', 4)).rejects.toThrow('history');
});
