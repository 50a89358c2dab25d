// The list of what a command has read, against real git.

import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ReadList } from './read-list.ts';
import { runGit } from './run-git.ts';
import { ordinaryTree } from './work-tree.ts';

const places: string[] = [];
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true });
});

async function scene() {
  const place = mkdtempSync(join(tmpdir(), 'firetrident-reads-'));
  places.push(place);
  const directory = join(place, 'checkout');
  const git = async (...args: string[]) => (await runGit(directory, args)).toString('utf8').trim();
  await runGit(place, ['init', '-q', 'checkout']);
  writeFileSync(join(directory, 'a[1].txt'), 'one\n');
  await git('add', '-A');
  await git('-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-q', '-m', 'base');
  return {
    directory,
    at: await git('rev-parse', 'HEAD'),
    blob: await git('rev-parse', 'HEAD:a[1].txt'),
    list: new ReadList(ordinaryTree(directory)),
  };
}

test('[RL1] [RL2] whole lines are told once, with what the commit holds and who saw them first', async () => {
  const { directory, at, blob, list } = await scene();
  list.begin();
  expect(list.hasMore).toBe(false);
  appendFileSync(list.path, `a[1].txt\n${directory}/gone.txt\n../outside\n.git/config\n\na[1].tx`);
  expect(list.hasMore).toBe(true);
  expect(await list.take(at)).toEqual([
    { path: 'a[1].txt', blob, at, source: 'told' },
    { path: 'gone.txt', blob: null, at, source: 'told' },
  ]);
  expect(await list.take(at)).toEqual([]);
  appendFileSync(list.path, 't\nhook\tnext.txt\nnext.txt\n');
  list.add('seen.txt', 'acp');
  expect(await list.take(at)).toEqual([
    { path: 'next.txt', blob: null, at, source: 'hook' },
    { path: 'seen.txt', blob: null, at, source: 'acp' },
  ]);
  list.begin();
  appendFileSync(list.path, 'a[1].txt\n');
  expect(await list.take(at)).toHaveLength(1);
});

test('[RL1] neither long paths nor what git takes for a pattern loses a read', async () => {
  const { at, blob, list } = await scene();
  const long = Array.from({ length: 999 }, (_, index) => `${`${'x'.repeat(200)}/`.repeat(15)}${index}`);
  list.begin();
  appendFileSync(list.path, `${['a[1].txt', ':(icase)A[1].TXT', ...long].join('\n')}\n`);
  const told = await list.take(at);
  expect(told).toHaveLength(1_000);
  expect(told.slice(0, 2)).toEqual([
    { path: 'a[1].txt', blob, at, source: 'told' },
    { path: ':(icase)A[1].TXT', blob: null, at, source: 'told' },
  ]);
  expect(list.hasMore).toBe(true);
  expect(await list.take(at)).toHaveLength(1);
});

test('[RL1] what git could not look up is told once it can', async () => {
  const { directory, at, blob, list } = await scene();
  list.begin();
  appendFileSync(list.path, 'a[1].txt\n');
  renameSync(join(directory, '.git/HEAD'), join(directory, '.git/HEAD-away'));
  await expect(list.take(at)).rejects.toThrow();
  expect(list.hasMore).toBe(true);
  renameSync(join(directory, '.git/HEAD-away'), join(directory, '.git/HEAD'));
  expect(await list.take(at)).toEqual([{ path: 'a[1].txt', blob, at, source: 'told' }]);
});
