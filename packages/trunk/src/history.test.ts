// Walks over commits, and how trunk moved by other hands.

import { type Oid, RandomStream } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { land, makeTrunk, tester } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import type { TrunkRepository } from './repository.ts';

/** Keeps a commit with any parents under a ref: how merges and branches get into a repository here. */
function commitOn(repository: TrunkRepository, base: Oid, id: string, timeSeconds: number): Oid {
  const tree = repository.commitTree(base);
  const author = { ...tester, timeSeconds };
  return repository.preserve({
    id,
    base,
    tree,
    message: `${id}\n`,
    author,
    committer: author,
    blobs: new Map(),
    timeSeconds,
  }).commit;
}

describe('isAncestor', () => {
  it('agrees with the parents in a random history, however wrong the clocks are', () => {
    const repository = makeTrunk(new MemoryDisk());
    const random = new RandomStream(5);
    const ancestors = new Map<Oid, Set<Oid>>([[repository.tip(), new Set([repository.tip()])]]);
    const commits = [repository.tip()];
    for (let index = 0; index < 60; index += 1) {
      const base = random.pick(commits);
      const commit = commitOn(repository, base, `c${index}`, 1_000_000_000 + random.below(1_000_000_000));
      ancestors.set(commit, new Set([...(ancestors.get(base) as Set<Oid>), commit]));
      commits.push(commit);
    }
    for (const left of commits) {
      for (const right of commits) {
        expect(repository.isAncestor(left, right)).toBe(ancestors.get(right)?.has(left) ? 'yes' : 'no');
      }
    }
  });

  it('throws for a commit that is not there', () => {
    const repository = makeTrunk(new MemoryDisk());
    expect(() => repository.isAncestor('1'.repeat(40), repository.tip())).toThrow('there is no commit');
  });
});

describe('detectForeign', () => {
  it('tells the same, an advance with its commits and paths, and a rewind', () => {
    const repository = makeTrunk(new MemoryDisk());
    const known = land(repository, [[{ path: 'a', text: 'a\n' }]]).tip;
    expect(repository.detectForeign(known)).toEqual({ kind: 'same' });
    const { commits, tip } = land(repository, [
      [{ path: 'b', text: 'b\n' }],
      [{ path: 'a', text: null }],
      [{ path: 'c', text: 'c\n' }],
    ]);
    expect(repository.detectForeign(known)).toMatchObject({ kind: 'advanced', tip, commits, total: 3 });
    const bounded = repository.detectForeign(known, 2);
    expect(bounded).toMatchObject({ commits: commits.slice(1), total: 3 });
    if (bounded.kind !== 'advanced') throw new Error(bounded.kind);
    expect(bounded.changes.map(({ path, before, after }) => [path, before !== null, after !== null])).toEqual([
      ['a', true, false],
      ['b', false, true],
      ['c', false, true],
    ]);
    expect(repository.setRef('refs/heads/main', tip, known)).toEqual({ kind: 'done' });
    expect(repository.detectForeign(tip)).toEqual({ kind: 'rewound', tip: known });
  });
});
