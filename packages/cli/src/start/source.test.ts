import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../../tests/support/git-repository.ts';
import { chooseSource } from './source.ts';

const place = temporaryDirectory('firetrident-source-');
const complete = join(place.path, 'complete');
let number = 0;

beforeAll(() => {
  makeRepository(complete, { 'a.txt': 'one\n' });
  git(complete, ['commit', '-q', '--allow-empty', '-m', 'Second']);
  git(complete, ['branch', 'side', 'HEAD~1']);
});
afterAll(() => place.remove());

function choose(own: string, named?: string) {
  number += 1;
  const directory = join(place.path, `run-${number}`);
  mkdirSync(directory);
  return chooseSource(named, place.path, directory, own);
}

describe('the source of the main job', () => {
  it('is what was named, whatever it is', async () => {
    expect(await choose(complete, 'elsewhere')).toMatchObject({ source: join(place.path, 'elsewhere'), branch: null });
    expect(await choose(complete, 'https://example.org/x.git')).toMatchObject({ source: 'https://example.org/x.git' });
  });

  it('is the branch that the checkout has checked out', async () => {
    expect(await choose(complete)).toMatchObject({ source: complete, branch: 'main' });
  });

  it('is a branch at the commit, where only a commit is checked out', async () => {
    const detached = join(place.path, 'detached');
    git(place.path, ['clone', '-q', complete, detached]);
    git(detached, ['checkout', '-q', '--detach', 'HEAD']);
    expect(await choose(detached)).toMatchObject({ source: detached, branch: 'main' });
  });

  it('is generated where there is no complete history, and always the same', async () => {
    const shallow = join(place.path, 'shallow');
    git(place.path, ['clone', '-q', '--depth', '1', `file://${complete}`, shallow]);
    const empty = join(place.path, 'empty');
    git(place.path, ['init', '-q', empty]);
    const below = join(complete, 'below');
    mkdirSync(below);
    const nowhere = join(place.path, 'nowhere');
    mkdirSync(nowhere);
    const trees: string[] = [];
    for (const own of [shallow, empty, below, nowhere]) {
      const { source, branch, description } = await choose(own);
      expect(description).toMatch(/^a generated repository/);
      trees.push(git(source, ['rev-parse', `${branch}^{tree}`]));
      expect(git(source, ['ls-files']).trim().split('\n').length).toBeGreaterThan(300);
    }
    expect(new Set(trees).size).toBe(1);
  });
});
