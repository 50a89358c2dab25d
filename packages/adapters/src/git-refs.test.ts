// Refs: stock git and the trunk writer exclude each other, and read what the other wrote.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { intentionOf } from '@firetrident/trunk';
import { describe, expect, it } from 'vitest';
import { GitSandbox, landTexts, textCycle } from './git-sandbox.fixture.ts';

const inTrunk = ['--git-dir', 'trunk.git'];

describe('refs beside stock git', () => {
  it('[RF1] stock git refuses while we hold the lock, and from a stale value; we refuse while it holds it', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const first = landTexts(repository, { a: 'a\n' });
    const lock = sandbox.path('trunk.git/refs/heads/main.lock');
    writeFileSync(lock, '');
    const { input } = textCycle(repository, { b: 'b\n' });
    const prepared = repository.prepare(input);
    repository.writePack(prepared);
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'locked', ref: 'refs/heads/main' });
    expect(sandbox.status([...inTrunk, 'update-ref', 'refs/heads/main', first.oldTip])).toBe(128);
    expect(existsSync(lock)).toBe(true);
    sandbox.git(['--git-dir', 'trunk.git', 'update-ref', 'refs/heads/other', first.oldTip]);
    writeFileSync(lock, '');
    expect(repository.notesTip()).toBe(first.notesTip);
  });

  it('[RF1] each sees the moves of the other', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const first = landTexts(repository, { a: 'a\n' });
    expect(sandbox.git([...inTrunk, 'rev-parse', 'main', 'refs/notes/firetrident']).split('\n')).toEqual([
      first.tip,
      first.notesTip,
    ]);
    const prepared = repository.prepare(textCycle(repository, { b: 'b\n' }).input);
    repository.writePack(prepared);
    sandbox.git([...inTrunk, 'update-ref', 'refs/heads/main', first.oldTip, first.tip]);
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'moved', ref: 'refs/heads/main', found: first.oldTip });
    expect(repository.notesTip()).toBe(first.notesTip);
    expect(repository.recoverCycle(intentionOf(prepared))).toEqual({ kind: 'foreign', tip: first.oldTip });
    expect(sandbox.status([...inTrunk, 'update-ref', 'refs/heads/main', first.tip, first.tip])).toBe(128);
    sandbox.git([...inTrunk, 'update-ref', 'refs/heads/main', first.tip, first.oldTip]);
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'done' });
    sandbox.fsck();
  });

  it('reads and moves packed refs, and deletes them', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const first = landTexts(repository, { a: 'a\n' });
    repository.setRef('refs/firetrident/preserved/one', null, first.tip);
    sandbox.git([...inTrunk, 'pack-refs', '--all']);
    expect(existsSync(sandbox.path('trunk.git/refs/heads/main'))).toBe(false);
    expect([repository.tip(), repository.notesTip()]).toEqual([first.tip, first.notesTip]);
    const second = landTexts(repository, { b: 'b\n' });
    expect(sandbox.git([...inTrunk, 'rev-parse', 'main'])).toBe(second.tip);
    expect(repository.setRef('refs/firetrident/preserved/one', first.tip, null)).toEqual({ kind: 'done' });
    expect(repository.setRef('refs/firetrident/preserved/two', null, first.tip)).toEqual({ kind: 'done' });
    const refs = sandbox.git([...inTrunk, 'for-each-ref', '--format=%(refname)']).split('\n');
    expect(refs).toEqual(['refs/firetrident/preserved/two', 'refs/heads/main', 'refs/notes/firetrident']);
    expect(repository.listRefs('refs/').map(({ name }) => name)).toEqual(refs);
    expect(readFileSync(sandbox.path('trunk.git/packed-refs'), 'utf8')).toMatch(/^# pack-refs with:.*sorted/);
    sandbox.fsck();
  });

  it('keeps preserved work out of what others fetch', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const first = landTexts(repository, { a: 'a\n' });
    repository.setRef('refs/firetrident/preserved/one', null, first.tip);
    const offered = sandbox.git(['ls-remote', 'trunk.git']);
    expect(offered).toContain('refs/notes/firetrident');
    expect(offered).not.toContain('preserved');
  });
});
