// Consolidation by stock git while landing goes on: nothing is lost, and the packs stay few.

import { readdirSync } from 'node:fs';
import { intentionOf } from '@firetrident/trunk';
import { describe, expect, it } from 'vitest';
import { NodeGit } from './git.ts';
import { GitSandbox, landTexts, startSeconds, tester, textCycle } from './git-sandbox.fixture.ts';

const inTrunk = ['--git-dir', 'trunk.git'];

describe('maintain', () => {
  it('[MT1] keeps what no branch reaches: preserved work, and a cycle between its pack and its refs', async () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    for (let index = 0; index < 8; index += 1) landTexts(repository, { [`file-${index}`]: `text ${index}\n` });
    const { input } = textCycle(repository, { 'never/landed': 'kept\n' });
    const tree = input.commits[0]?.tree ?? repository.emptyTree();
    const kept = repository.preserve({
      id: 'prs_1',
      base: repository.tip(),
      tree,
      message: 'Kept\n',
      author: tester,
      committer: tester,
      blobs: input.blobs,
      timeSeconds: startSeconds,
    });
    const prepared = repository.prepare(textCycle(repository, { 'in/flight': 'flying\n' }).input);
    const intention = intentionOf(prepared);
    repository.writePack(prepared);
    const report = await repository.maintain(new NodeGit(), { packsMax: 3 });
    expect(report).toMatchObject({ packsBefore: 11, repacked: true });
    expect(report.packsAfter).toBeLessThan(4);
    expect(repository.packCount()).toBe(report.packsAfter);
    // The same process goes on although its packs are gone.
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'done' });
    expect(repository.recoverCycle(intention).kind).toBe('finished');
    landTexts(repository, { 'file-0': 'changed\n' });
    const entry = repository.commitTree(kept.commit).entry('never/landed');
    expect(Buffer.from(repository.readBlob(entry?.oid ?? '') ?? []).toString()).toBe('kept\n');
    expect(Buffer.from(sandbox.open().readBlob(entry?.oid ?? '') ?? []).toString()).toBe('kept\n');
    sandbox.fsck();
    expect(sandbox.git([...inTrunk, 'show', 'main:in/flight'])).toBe('flying');
    expect(sandbox.git([...inTrunk, 'show', `${kept.ref}:never/landed`])).toBe('kept');
    expect(readdirSync(sandbox.path('trunk.git/objects/pack'))).toContain('multi-pack-index');
  });

  it('[MT2] runs while cycles land, and every reader finds every object', async () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    let landed = 0;
    const landSome = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        landed += 1;
        landTexts(repository, { [`d${landed % 7}/file-${landed}`]: `text ${landed}\n` });
      }
    };
    landSome(30);
    for (let round = 0; round < 3; round += 1) {
      let ended = 0;
      const end = (): number => ended++;
      const maintenance = repository.maintain(new NodeGit(), { packsMax: 5 });
      maintenance.then(end, end);
      while (ended === 0) {
        landSome(2);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await maintenance).repacked).toBe(true);
      // Cold caches: everything is read again from packs that are new to this reader.
      const reader = sandbox.open();
      const tree = reader.commitTree(repository.tip());
      for (const path of tree.paths()) expect(reader.readBlob(tree.entry(path)?.oid ?? '')).not.toBeNull();
    }
    sandbox.fsck();
    const noted = sandbox.git([...inTrunk, 'notes', '--ref', 'firetrident', 'list']).split('\n').length;
    expect(noted).toBe(landed);
    expect(repository.packCount()).toBeLessThan(landed);
  });

  it('does nothing while there are few packs, and says when git fails', async () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    landTexts(repository, { a: 'a\n' });
    expect(await repository.maintain(new NodeGit())).toEqual({ packsBefore: 2, packsAfter: 2, repacked: false });
    const broken = new NodeGit({ program: 'false' });
    await expect(repository.maintain(broken, { packsMax: 1 })).rejects.toMatchObject({ kind: 'git-failed' });
  });
});

describe('object store', () => {
  it('[OS1] finds objects after other packs took the place of those it knew', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    for (let index = 0; index < 5; index += 1) landTexts(repository, { [`file-${index}`]: `text ${index}\n` });
    const reader = sandbox.open();
    const tree = reader.commitTree(reader.tip());
    expect(tree.kind('file-0')).toBe('file');
    sandbox.git([...inTrunk, 'repack', '-q', '-a', '-d']);
    for (const path of tree.paths()) expect(reader.readBlob(tree.entry(path)?.oid ?? '')).not.toBeNull();
    const { tip } = landTexts(repository, { later: 'later\n' });
    expect(reader.hasObject(tip)).toBe(true);
    expect(reader.hasObject('1'.repeat(40))).toBe(false);
    expect(reader.readBlob('1'.repeat(40))).toBeNull();
  });
});
