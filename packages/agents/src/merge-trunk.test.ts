import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { changedWrites } from './changes.ts';
import { Checkout } from './checkout.ts';
import { mergeTrunk } from './merge-trunk.ts';
import { ordinaryTree } from './work-tree.ts';

const place = temporaryDirectory('firetrident-merge-');
const source = join(place.path, 'source');
const repository = join(place.path, 'trunk.git');
const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 9 }, (_, index) => `${changed[index] ?? `line ${index}`}\n`).join('');
let base = '';
let trunk = '';

beforeAll(() => {
  makeRepository(source, { 'a.txt': lines(), 'gone.txt': 'gone\n', 'other.txt': 'other\n' });
  base = git(source, ['rev-parse', 'HEAD']).trim();
  writeFileSync(join(source, 'a.txt'), lines({ 0: 'theirs' }));
  writeFileSync(join(source, 'new.txt'), 'new\n');
  rmSync(join(source, 'gone.txt'));
  git(source, ['add', '-A']);
  git(source, ['commit', '-qm', 'Moved on']);
  trunk = git(source, ['rev-parse', 'HEAD']).trim();
  git(place.path, ['clone', '-q', '--bare', source, repository]);
});
afterAll(() => place.remove());

async function checkout(name: string) {
  const made = new Checkout({ directory: join(place.path, name), repository, captured: join(place.path, 'captured') });
  made.prepare();
  await made.moveTo(base, 'test');
  const { directory } = made.place;
  const read = (path: string) => readFileSync(join(directory, path), 'utf8');
  const write = (path: string, text: string) => writeFileSync(join(directory, path), text);
  const writes = (from: string) => changedWrites(ordinaryTree(directory), { base: from, putBlob: async () => '' });
  return { directory, read, write, writes };
}

describe('merging trunk into files at work', () => {
  it('[MG1] brings in what landed, keeps what was done, and the work counts as done on trunk', async () => {
    const { directory, read, write, writes } = await checkout('clean');
    write('a.txt', lines({ 8: 'ours' }));
    write('mine.txt', 'mine\n');
    expect(await mergeTrunk(ordinaryTree(directory), base, trunk)).toBe(true);
    expect(read('a.txt')).toBe(lines({ 0: 'theirs', 8: 'ours' }));
    expect([read('new.txt'), read('mine.txt'), existsSync(join(directory, 'gone.txt'))]).toEqual([
      'new\n',
      'mine\n',
      false,
    ]);
    expect(git(directory, ['rev-parse', 'HEAD']).trim()).toBe(trunk);
    expect((await writes(trunk)).map(({ path }) => path)).toEqual(['a.txt', 'mine.txt']);
    expect(existsSync(join(directory, '.git/firetrident-index'))).toBe(false);
  });

  it('[MG1] changes nothing at all when one path does not merge', async () => {
    const { directory, read, write, writes } = await checkout('conflict');
    write('a.txt', lines({ 0: 'ours' }));
    expect(await mergeTrunk(ordinaryTree(directory), base, trunk)).toBe(false);
    expect([read('a.txt'), existsSync(join(directory, 'new.txt'))]).toEqual([lines({ 0: 'ours' }), false]);
    expect(git(directory, ['rev-parse', 'HEAD']).trim()).toBe(base);
    expect((await writes(base)).map(({ path }) => path)).toEqual(['a.txt']);
  });

  it('[MG1] leaves commits that the command made where they are', async () => {
    const { directory, read, write, writes } = await checkout('committed');
    write('mine.txt', 'mine\n');
    git(directory, ['add', '-A']);
    git(directory, ['-c', 'user.name=c', '-c', 'user.email=c@x.invalid', 'commit', '-qm', 'Mine']);
    const own = git(directory, ['rev-parse', 'HEAD']).trim();
    expect(await mergeTrunk(ordinaryTree(directory), base, trunk)).toBe(true);
    expect(git(directory, ['rev-parse', 'HEAD']).trim()).toBe(own);
    expect(read('a.txt')).toBe(lines({ 0: 'theirs' }));
    expect((await writes(trunk)).map(({ path }) => path)).toEqual(['mine.txt']);
  });

  it('[MG2] a commit that is not there changes nothing', async () => {
    const { directory, read } = await checkout('unknown');
    expect(await mergeTrunk(ordinaryTree(directory), base, 'f'.repeat(40))).toBe(false);
    expect(read('a.txt')).toBe(lines());
  });
});
