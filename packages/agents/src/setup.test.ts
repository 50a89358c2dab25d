import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { setUp } from './setup.ts';
import { ordinaryTree } from './work-tree.ts';

const place = temporaryDirectory('firetrident-setup-');
let number = 0;
let directory = '';
const { signal } = new AbortController();

beforeEach(() => {
  number += 1;
  directory = join(place.path, `repository-${number}`);
  makeRepository(directory, { 'package.json': '{}\n', 'lock.txt': 'a\n' });
});
afterAll(() => place.remove());

const cache = join(place.path, 'cache');
const set = (command: string | null) => setUp(ordinaryTree(directory), command, cache, signal);

describe('setup', () => {
  it('does nothing without a command', async () => {
    expect(await set(null)).toBeNull();
  });

  it('runs once for a checkout, and again when its command or a dependency file changed', async () => {
    const count = join(place.path, `count-${number}`);
    const command = `echo x >> ${count}`;
    const runs = () => readFileSync(count, 'utf8').length / 2;
    expect(await set(command)).toMatchObject({ code: 0 });
    expect(await set(command)).toBeNull();
    expect(runs()).toBe(1);
    writeFileSync(join(directory, 'package.json'), '{ "name": "x" }\n');
    await set(command);
    expect(runs()).toBe(2);
    await set(`${command} && true`);
    expect(runs()).toBe(3);
  });

  it('runs again after it failed, and tells how', async () => {
    expect(await set('echo broken; exit 4')).toMatchObject({ code: 4, output: 'broken\n' });
    expect(await set('echo broken; exit 4')).toMatchObject({ code: 4 });
  });

  it('finds a cache that all checkouts share', async () => {
    await set('echo kept > "$FT_CACHE/thing"');
    expect(readFileSync(join(cache, 'thing'), 'utf8')).toBe('kept\n');
  });

  it('[SU1] leaves nothing to propose, and what it made stays there', async () => {
    const names = ['node_modules', 'a [b]*', '#hash', '!mark'];
    const made = names.map((name) => `mkdir '${name}' && touch '${name}/x'`).join(' && ');
    await set(`${made} && echo changed > lock.txt`);
    expect(git(directory, ['status', '--porcelain', '--untracked-files=all'])).toBe('');
    expect(names.map((name) => existsSync(join(directory, name, 'x')))).toEqual([true, true, true, true]);
    expect(readFileSync(join(directory, 'lock.txt'), 'utf8')).toBe('a\n');
  });
});
