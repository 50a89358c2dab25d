// Preserved work put back, by real git: a colony's repository on one side, somebody's checkout on the other.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { restorePreserved } from './preserved-work.ts';

const place = temporaryDirectory('firetrident-preserved-');
afterAll(() => place.remove());

test('[PW1] [PW2] it goes into the files, onto what is there, and never over changes of one’s own', async () => {
  const directory = join(place.path, 'checkout');
  makeRepository(directory, { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
  const repository = join(place.path, 'colony.git');
  git(place.path, ['clone', '-q', '--bare', directory, repository]);
  const other = join(place.path, 'other');
  git(place.path, ['clone', '-q', repository, other]);
  writeFileSync(join(other, 'a.txt'), 'one\ntwo\nthree and more\n');
  writeFileSync(join(other, 'c.txt'), 'new\n');
  git(other, ['add', '-A']);
  git(other, ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid', 'commit', '-q', '-m', 'Preserved: lost']);
  git(other, ['push', '-q', 'origin', 'HEAD:refs/firetrident/preserved/prs_1']);
  const commit = git(other, ['rev-parse', 'HEAD']).trim();

  writeFileSync(join(directory, 'b.txt'), 'mine\n');
  await expect(restorePreserved({ directory, repository, commit })).rejects.toThrow(/not committed/);
  expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  git(directory, ['checkout', '-q', 'b.txt']);

  const restored = await restorePreserved({ directory, repository, commit });
  expect(restored).toEqual({ paths: ['a.txt', 'c.txt'], conflicts: [] });
  expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree and more\n');
  expect(existsSync(join(directory, 'c.txt'))).toBe(true);
  expect(git(directory, ['log', '--format=%s']).trim().split('\n')).toHaveLength(1);

  git(directory, ['checkout', '-q', '.']);
  git(directory, ['clean', '-qfd']);
  writeFileSync(join(directory, 'a.txt'), 'one\ntwo\nTHREE\n');
  git(directory, ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid', 'commit', '-q', '-a', '-m', 'Theirs']);
  expect((await restorePreserved({ directory, repository, commit })).conflicts).toEqual(['a.txt']);
  expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toMatch(/THREE\n=======\nthree and more\n/);
});
