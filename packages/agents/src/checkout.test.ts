import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { borrowedRepository, Checkout } from './checkout.ts';

const place = temporaryDirectory('firetrident-checkout-');
const source = join(place.path, 'source');
const repository = join(place.path, 'trunk.git');
let first = '';
let second = '';

beforeAll(() => {
  makeRepository(source, { 'a.txt': 'one\n', 'b/c.txt': 'two\n', '.gitignore': 'installed/\n' });
  first = git(source, ['rev-parse', 'HEAD']).trim();
  writeFileSync(join(source, 'a.txt'), 'three\n');
  git(source, ['commit', '-qam', 'Second']);
  second = git(source, ['rev-parse', 'HEAD']).trim();
  git(place.path, ['clone', '-q', '--bare', source, repository]);
});
afterAll(() => place.remove());

function checkout(name: string): Checkout {
  const made = new Checkout({ directory: join(place.path, name), repository, captured: join(place.path, 'captured') });
  made.prepare();
  return made;
}

describe('a checkout', () => {
  it('shows the files of a commit and copies no object', async () => {
    const made = checkout('shares');
    await made.moveTo(first, 'test');
    const { directory } = made.place;
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\n');
    expect(git(directory, ['status', '--porcelain'])).toBe('');
    expect(git(directory, ['rev-parse', 'HEAD']).trim()).toBe(first);
    // No pack, and no loose object.
    expect(git(directory, ['count-objects', '-v'])).toMatch(/^count: 0$[\s\S]*^in-pack: 0$/m);
    expect(readdirSync(join(directory, '.git/objects')).sort()).toEqual(['info', 'pack']);
    expect(borrowedRepository(directory)).toBe(repository);
  });

  it('sees commits that came into the repository after it was made', async () => {
    const made = checkout('later');
    await made.moveTo(first, 'test');
    writeFileSync(join(source, 'new.txt'), 'new\n');
    git(source, ['add', 'new.txt']);
    git(source, ['commit', '-qm', 'Third']);
    git(source, ['push', '-q', repository, 'main']);
    await made.moveTo(git(source, ['rev-parse', 'HEAD']).trim(), 'test');
    expect(existsSync(join(made.place.directory, 'new.txt'))).toBe(true);
  });

  it('[CK1] captures what was not proposed as a patch that git applies, before the files move', async () => {
    const made = checkout('captures');
    const { directory, captured } = made.place;
    await made.moveTo(first, 'test');
    writeFileSync(join(directory, 'a.txt'), 'mine\n');
    writeFileSync(join(directory, 'picture'), Buffer.from([0, 255, 1, 254]));
    await made.moveTo(second, 'int_1');
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('three\n');
    expect(existsSync(join(directory, 'picture'))).toBe(false);
    const patch = join(captured, readdirSync(captured).find((name) => name.startsWith('int_1-')) ?? 'none');
    await made.moveTo(first, 'test');
    git(directory, ['apply', patch]);
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(directory, 'picture'))).toEqual(Buffer.from([0, 255, 1, 254]));
  });

  it('[CK1] captures nothing that the colony holds, and keeps every patch of one name', async () => {
    const made = checkout('forgets');
    await made.moveTo(first, 'test');
    writeFileSync(join(made.place.directory, 'a.txt'), 'mine\n');
    made.forget();
    expect(await made.capture('held')).toBeNull();
    await made.moveTo(first, 'held');
    const patches = [];
    for (const text of ['x', 'y']) {
      writeFileSync(join(made.place.directory, 'a.txt'), text);
      patches.push(await made.capture('same'));
      await made.moveTo(first, 'same');
    }
    expect(new Set(patches).size).toBe(2);
    expect(patches.map((patch) => existsSync(patch ?? ''))).toEqual([true, true]);
  });

  it('[CK1] takes over what a runner that was killed left, its lock included, and captures it', async () => {
    const before = checkout('killed');
    await before.moveTo(first, 'test');
    const { directory } = before.place;
    writeFileSync(join(directory, 'a.txt'), 'half done\n');
    writeFileSync(join(directory, '.git/index.lock'), '');
    const after = checkout('killed');
    const patch = await after.capture('killed');
    expect(readFileSync(patch ?? '', 'utf8')).toContain('+half done');
  });

  it('keeps ignored files from one commit to the next, and removes others, repositories inside included', async () => {
    const made = checkout('cleans');
    const { directory } = made.place;
    await made.moveTo(first, 'test');
    mkdirSync(join(directory, 'installed'));
    writeFileSync(join(directory, 'installed/module'), 'x');
    makeRepository(join(directory, 'inner'), { 'x.txt': 'x\n' });
    writeFileSync(join(directory, 'loose.txt'), 'x');
    made.forget();
    await made.moveTo(second, 'test');
    expect(existsSync(join(directory, 'installed/module'))).toBe(true);
    expect(existsSync(join(directory, 'inner'))).toBe(false);
    expect(existsSync(join(directory, 'loose.txt'))).toBe(false);
  });

  it('costs files, not history', async () => {
    const made = checkout('small');
    await made.moveTo(first, 'test');
    const bytes = (folder: string): number =>
      readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
        const path = join(folder, entry.name);
        return sum + (entry.isDirectory() ? bytes(path) : statSync(path).size);
      }, 0);
    expect(bytes(join(made.place.directory, '.git'))).toBeLessThan(2_000);
  });
});
