// What is held of the notes is bounded, and everything that is let go of is read again from the repository.

import { describe, expect, it } from 'vitest';
import { emptyDirectory, keepFresh, unloadStored } from './directory.ts';
import { checkReachable, land, makeTrunk } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import { Tree } from './tree.ts';

describe('the notes in memory', () => {
  it('[NM1] lets go of folders, whose notes are found and kept by the landings after that', () => {
    const repository = makeTrunk(new MemoryDisk());
    const commits: string[] = [];
    for (let round = 0; round < 150; round += 1) {
      commits.push(...land(repository, [[{ path: `file-${round}`, text: `${round}\n` }]]).commits);
    }
    for (const commit of commits) expect(repository.note(commit)).toBe(`{"commit":"${commit}"}\n`);
    expect(checkReachable(repository).notes).toBe(150);
  });

  it('[NM2] keeps a folder that the repository does not have', () => {
    const entry = { mode: '100644', oid: '1'.repeat(40) } as const;
    const loaded: string[] = [];
    const source = {
      load: (): never => {
        loaded.push('asked');
        throw new Error('it is not in the repository');
      },
      hash: () => new Uint8Array(20),
    };
    const tree = new Tree(emptyDirectory(), source).with([{ path: 'folder/file', entry }]);
    unloadStored(tree.root);
    expect(tree.entry('folder/file')).toEqual(entry);
    tree.root.seal(source.hash);
    keepFresh(tree.root, new Map());
    for (const { children } of tree.root.pieces) for (const child of children?.values() ?? []) child.stored = true;
    unloadStored(tree.root);
    expect(() => tree.entry('folder/file')).toThrow('not in the repository');
    expect(loaded).toHaveLength(1);
  });
});
