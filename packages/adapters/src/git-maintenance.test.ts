// Consolidation while landing goes on, by joining packs and by stock git: nothing is lost, and the packs stay few.

import { readdirSync, statSync } from 'node:fs';
import { intentionOf, type PackJoiner } from '@firetrident/trunk';
import { describe, expect, it } from 'vitest';
import { NodeGit } from './git.ts';
import { GitSandbox, landTexts, startSeconds, tester, textCycle } from './git-sandbox.fixture.ts';
import { ThreadPackJoiner } from './pack-joiner.ts';

/** Joins nothing, so that git has to. */
const noJoiner: PackJoiner = { join: async (_, names) => ({ kind: 'unfit', packName: names[0] ?? '', why: 'gone' }) };
const inTrunk = ['--git-dir', 'trunk.git'];

function largestPack(sandbox: GitSandbox): string {
  const folder = sandbox.path('trunk.git/objects/pack');
  const packs = readdirSync(folder).filter((name) => name.endsWith('.pack'));
  return packs.sort((a, b) => statSync(`${folder}/${b}`).size - statSync(`${folder}/${a}`).size)[0] ?? '';
}

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
    const report = await repository.maintain(new NodeGit(), noJoiner, { packsMax: 3 });
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
      const maintenance = repository.maintain(new NodeGit(), noJoiner, { packsMax: 5 });
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

  it('[MT1] [PJ1] joins small packs beside landing, and stock git finds everything in order', async () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    for (let index = 0; index < 12; index += 1) landTexts(repository, { [`d${index % 3}/f-${index}`]: `${index}\n` });
    sandbox.git([...inTrunk, 'multi-pack-index', 'write']);
    const prepared = repository.prepare(textCycle(repository, { 'in/flight': 'flying\n' }).input);
    repository.writePack(prepared);
    const joining = repository.maintain(new NodeGit(), new ThreadPackJoiner(), { smallPacksMax: 8 });
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'done' });
    expect(await joining).toEqual({ packsBefore: 14, packsAfter: 1, joined: 1, repacked: false });
    landTexts(repository, { 'd0/f-0': 'changed\n' });
    const files = readdirSync(sandbox.path('trunk.git/objects/pack'));
    expect(files.filter((name) => !/^pack-[0-9a-f]{40}\.(pack|idx)$/.test(name))).toEqual([]);
    sandbox.fsck();
    sandbox.git([...inTrunk, 'index-pack', '--verify', `trunk.git/objects/pack/${largestPack(sandbox)}`]);
    expect(sandbox.git([...inTrunk, 'show', 'main:in/flight'])).toBe('flying');
    expect(sandbox.git([...inTrunk, 'rev-list', '--count', 'main'])).toBe('15');
    for (const reader of [repository, sandbox.open()]) {
      const tree = reader.commitTree(reader.tip());
      for (const path of tree.paths()) expect(reader.readBlob(tree.entry(path)?.oid ?? '')).not.toBeNull();
    }
  });

  it('[PJ3] leaves packs of git with deltas alone, and joins the others the next time', async () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index}`);
    for (let index = 0; index < 6; index += 1) landTexts(repository, { text: `${lines.join('\n')}\n${index}\n` });
    sandbox.git([...inTrunk, 'repack', '-q', '-a', '-d', '-f']);
    for (let index = 0; index < 6; index += 1) landTexts(repository, { [`file-${index}`]: `${index}\n` });
    const maintain = () => repository.maintain(new NodeGit(), new ThreadPackJoiner(), { smallPacksMax: 2 });
    expect(await maintain()).toEqual({ packsBefore: 7, packsAfter: 7, joined: 0, repacked: false });
    expect(await maintain()).toEqual({ packsBefore: 7, packsAfter: 2, joined: 1, repacked: false });
    sandbox.fsck();
    expect(
      Buffer.from(repository.readBlob(repository.commitTree(repository.tip()).entry('text')?.oid ?? '') ?? []),
    ).toEqual(Buffer.from(`${lines.join('\n')}\n5\n`));
  });

  it('does nothing while there are few packs, and says when git fails', async () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    landTexts(repository, { a: 'a\n' });
    const nothing = { packsBefore: 2, packsAfter: 2, joined: 0, repacked: false };
    expect(await repository.maintain(new NodeGit(), noJoiner)).toEqual(nothing);
    const broken = new NodeGit({ program: 'false' });
    await expect(repository.maintain(broken, noJoiner, { packsMax: 1 })).rejects.toMatchObject({ kind: 'git-failed' });
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
