import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BriefResponse } from '@firetrident/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { Checkout } from './checkout.ts';
import { regenerate, regenerationOf } from './regenerate.ts';

const place = temporaryDirectory('firetrident-regenerate-');
const source = join(place.path, 'source');
let base = '';
let trunk = '';

beforeAll(() => {
  makeRepository(source, { 'src/a.txt': 'a\n', 'all.lock': 'a.txt\n', 'hand.txt': 'one\n' });
  base = git(source, ['rev-parse', 'HEAD']).trim();
  const theirs = { 'src/b.txt': 'b\n', 'all.lock': 'a.txt\nb.txt\n', 'new.lock': 'theirs\n', 'hand.txt': 'two\n' };
  for (const [path, text] of Object.entries(theirs)) writeFileSync(join(source, path), text);
  git(source, ['add', '-A']);
  git(source, ['commit', '-qm', 'Moved on']);
  trunk = git(source, ['rev-parse', 'HEAD']).trim();
});
afterAll(() => place.remove());

/** A checkout at the base with a change in it, as it is after a proposal. */
async function changed(name: string, files: Readonly<Record<string, string>>) {
  const made = new Checkout({
    directory: join(place.path, name),
    repository: join(source, '.git'),
    captured: join(place.path, 'captured.git'),
  });
  made.prepare();
  await made.moveTo(base, 'test');
  const { directory } = made.place;
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  git(directory, ['add', '-A']);
  const settings = { tree: made.tree, base, trunk, cache: join(place.path, 'cache'), timeoutMs: 20_000 };
  return {
    make: (paths: string[], commands: string[]) =>
      regenerate({ paths, commands }, { ...settings, signal: new AbortController().signal }),
    read: (path: string) => readFileSync(join(directory, path), 'utf8'),
    has: (path: string) => existsSync(join(directory, path)),
  };
}

describe('making anew what a command makes', () => {
  it("[RG2] starts from trunk's version, keeps the rest of the change, and runs each command", async () => {
    const { make, read } = await changed('both', {
      'src/c.txt': 'c\n',
      'all.lock': 'a.txt\nc.txt\n',
      'new.lock': 'ours\n',
    });
    expect(await make(['all.lock', 'new.lock'], ['ls src > all.lock', 'cat all.lock >> new.lock'])).toBeNull();
    expect(read('all.lock')).toBe('a.txt\nb.txt\nc.txt\n');
    expect(read('new.lock')).toBe('theirs\na.txt\nb.txt\nc.txt\n');
    expect([read('src/b.txt'), read('src/c.txt'), read('hand.txt')]).toEqual(['b\n', 'c\n', 'two\n']);
  });

  it('[RG1] says so when another file does not merge, and runs nothing', async () => {
    const { make, has } = await changed('apart', { 'hand.txt': 'drei\n', 'all.lock': 'ours\n' });
    expect(await make(['all.lock'], ['touch was-run'])).toBe('other files do not merge');
    expect(has('was-run')).toBe(false);
  });

  it('says which command failed, and with what words', async () => {
    const { make } = await changed('fails', { 'all.lock': 'ours\n' });
    expect(await make(['all.lock'], ['echo no such tool; exit 3'])).toBe('echo no such tool; exit 3: no such tool');
  });
});

describe('[RG1] what a brief asks for', () => {
  const cause = { landing: null, intent: { id: null, title: '' }, diff: '' };
  const modes = { base: null, tip: null, baseMode: null, tipMode: null };
  const lock = { path: 'all.lock', kind: 'content', ...modes, ...cause, regenerate: 'make lock' } as const;
  const { regenerate: _, ...byHand } = lock;
  const read = { path: 'a.ts', was: null, now: null, ...cause };
  const brief = (writes: BriefResponse['writes'], reads: BriefResponse['reads'] = []): BriefResponse => ({
    trunk: 'f'.repeat(40),
    reads,
    writes,
  });

  it('is each path, and each command once', () => {
    expect(regenerationOf(brief([lock, { ...lock, path: 'b.lock' }]))).toEqual({
      paths: ['all.lock', 'b.lock'],
      commands: ['make lock'],
    });
  });

  it.each([
    ['nothing to make', brief([])],
    ['a file that is written by hand', brief([lock, byHand])],
    ['a read that moved', brief([lock], [read])],
    ['a path that is no text', brief([{ ...lock, path: undefined, pathBase64: '/w==' } as never])],
  ])('is more than commands: %s', (_name, asked) => {
    expect(regenerationOf(asked)).toBeNull();
  });
});
