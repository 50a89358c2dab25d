// Merges of entries against git itself: every combination of a set of entries, each at a path of its own, in one merge.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, defined, type Oid, utf8 } from '@firetrident/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EntryConflict, type EntryMergeResult, type MergeEntry, mergeEntries } from './merge-entries.ts';

const texts = {
  plain: 'one\ntwo\nthree\nfour\nfive\n',
  top: 'ONE\ntwo\nthree\nfour\nfive\n',
  topOther: 'eins\ntwo\nthree\nfour\nfive\n',
  bottom: 'one\ntwo\nthree\nfour\nFIVE\n',
  empty: '',
  binary: 'one\0two\n',
};

function blobOid(bytes: Uint8Array): Oid {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

const blobs = new Map<Oid, Uint8Array>();

function put(text: string): Oid {
  const bytes = utf8(text);
  blobs.set(blobOid(bytes), bytes);
  return blobOid(bytes);
}

function read(oid: Oid): Uint8Array {
  return defined(blobs.get(oid), `blob ${oid}`);
}

function file(text: keyof typeof texts, mode: MergeEntry['mode'] = '100644'): MergeEntry {
  return { mode, oid: put(texts[text]) };
}

const link: MergeEntry = { mode: '120000', oid: put('target') };
const otherLink: MergeEntry = { mode: '120000', oid: put('elsewhere') };
const linkLikeFile: MergeEntry = { mode: '120000', oid: put(texts.plain) };
const submodule: MergeEntry = { mode: '160000', oid: '1'.repeat(40) };
const otherSubmodule: MergeEntry = { mode: '160000', oid: '2'.repeat(40) };

describe('every combination, as git merges it', () => {
  const names = Object.keys(texts) as (keyof typeof texts)[];
  const entries: readonly (MergeEntry | null)[] = [
    null,
    ...names.map((name) => file(name)),
    ...names.slice(0, 4).map((name) => file(name, '100755')),
    link,
    otherLink,
    linkLikeFile,
    submodule,
    otherSubmodule,
  ];
  const all = entries.flatMap((base) => entries.flatMap((ours) => entries.map((theirs) => ({ base, ours, theirs }))));
  const pathOf = (index: number) => `case-${String(index).padStart(5, '0')}`;
  let repository = '';
  beforeAll(() => {
    repository = mkdtempSync(join(tmpdir(), 'merge-entries-'));
  });
  afterAll(() => rmSync(repository, { recursive: true, force: true }));

  const identity = { NAME: 'Test', EMAIL: 'test@example.com', DATE: '1700000000 +0000' };
  const environment: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C' };
  for (const [key, value] of Object.entries(identity)) {
    environment[`GIT_AUTHOR_${key}`] = value;
    environment[`GIT_COMMITTER_${key}`] = value;
  }

  function run(program: string, words: readonly string[], input: string | Uint8Array): string {
    const limits = { cwd: repository, env: environment, maxBuffer: 1 << 26 };
    return execFileSync(program, words, { ...limits, input, stdio: 'pipe', encoding: 'utf8' });
  }

  function git(input: string | Uint8Array, ...words: string[]): string {
    return run('git', words, input);
  }

  function commit(cases: typeof all, side: 'base' | 'ours' | 'theirs', parents: readonly string[]): string {
    const listing = cases.flatMap((one, index) => {
      const entry = one[side];
      if (entry === null) return [];
      return [`${entry.mode} ${entry.mode === '160000' ? 'commit' : 'blob'} ${entry.oid}\t${pathOf(index)}\n`];
    });
    const tree = git(listing.join(''), 'mktree', '--missing').trim();
    return git('', 'commit-tree', tree, '-m', side, ...parents.flatMap((parent) => ['-p', parent])).trim();
  }

  /** The merged tree by path, and the paths in conflict. */
  function gitMerge(ours: string, theirs: string): { merged: Map<string, MergeEntry>; conflicts: Set<string> } {
    const script = `git merge-tree --write-tree -z --name-only ${ours} ${theirs}; test $? -le 1`;
    const output = run('sh', ['-c', script], '');
    const fields = output.slice(0, output.indexOf('\0\0')).split('\0');
    const conflicts = new Set(fields.slice(1).map((path) => path.slice(0, pathOf(0).length)));
    const merged = new Map<string, MergeEntry>();
    for (const line of git('', 'ls-tree', '-z', defined(fields[0], 'tree')).split('\0').filter(Boolean)) {
      const [mode, , oid, path] = line.split(/[ \t]/);
      merged.set(defined(path, 'path'), { mode: mode as MergeEntry['mode'], oid: defined(oid, 'oid') });
    }
    return { merged, conflicts };
  }

  function outcome(result: EntryMergeResult): MergeEntry | null | 'conflict' {
    switch (result.kind) {
      case 'same':
        return result.entry;
      case 'merged':
        return { mode: result.mode, oid: blobOid(result.bytes) };
      case 'conflict':
        return 'conflict';
    }
  }

  // Additions and the rest are merged apart, since this git cannot do without detecting renames: so nothing in a merge
  // can be the source of what is added in it.
  test.each([
    ['[ME5] additions', all.filter((one) => one.base === null)],
    ['[ME1] [ME2] [ME3] [ME4] changes and deletions', all.filter((one) => one.base !== null)],
  ])('%s come out as git merge-tree has them', (_, cases) => {
    git('', 'init', '-q');
    for (const bytes of blobs.values()) git(bytes, 'hash-object', '-w', '--stdin');
    const base = commit(cases, 'base', []);
    const { merged, conflicts } = gitMerge(commit(cases, 'ours', [base]), commit(cases, 'theirs', [base]));
    const wrong = cases.flatMap((one, index) => {
      const expected = conflicts.has(pathOf(index)) ? 'conflict' : (merged.get(pathOf(index)) ?? null);
      const got = outcome(mergeEntries(one.base, one.ours, one.theirs, read));
      return JSON.stringify(got) === JSON.stringify(expected) ? [] : [{ ...one, expected, got }];
    });
    expect(wrong).toEqual([]);
    expect(conflicts.size).toBeGreaterThan(cases.length / 10);
    expect(conflicts.size).toBeLessThan((cases.length * 9) / 10);
  });

  test('the sides may change places', () => {
    for (const { base, ours, theirs } of all) {
      const result = outcome(mergeEntries(base, ours, theirs, read));
      expect(outcome(mergeEntries(base, theirs, ours, read))).toEqual(result);
    }
  });
});

describe('what a conflict is called', () => {
  const executable = '100755' as const;
  const cases: [string, MergeEntry | null, MergeEntry | null, MergeEntry | null, EntryConflict][] = [
    ['both changed the same line', file('plain'), file('top'), file('topOther'), 'content'],
    ['deleted and edited', file('plain'), null, file('top'), 'delete/edit'],
    ['edited and deleted', file('plain'), file('top'), null, 'delete/edit'],
    ['[ME3] deleted and made executable', file('plain'), null, file('plain', executable), 'delete/edit'],
    ['[ME5] two different additions', null, file('top'), file('bottom'), 'add/add'],
    ['one addition with two modes', null, file('top'), file('top', executable), 'add/add'],
    ['a file and a symlink added', null, file('top'), link, 'add/add'],
    ['two symlinks added', null, link, otherLink, 'add/add'],
    ['a symlink became two different modes', link, file('top'), file('top', executable), 'mode'],
    ['became a symlink, and edited', file('plain'), link, file('top'), 'mode'],
    ['[ME4] two targets of a symlink', linkLikeFile, link, otherLink, 'content'],
    ['[ME4] two commits of a submodule', link, submodule, otherSubmodule, 'content'],
    ['a binary side', file('plain'), file('binary'), file('top'), 'binary'],
    ['a binary base', file('binary'), file('plain'), file('top'), 'binary'],
    ['two additions, one binary', null, file('binary'), file('top'), 'binary'],
    ['an empty and a binary file added', null, file('empty'), file('binary'), 'binary'],
  ];
  for (const [name, base, ours, theirs, kind] of cases) {
    test(name, () => {
      expect(mergeEntries(base, ours, theirs, read)).toEqual({ kind: 'conflict', conflict: kind });
    });
  }
});

test('[ME1] content is not read when a side equals base or the other side', () => {
  const refuse = () => {
    throw new Error('read');
  };
  const binary = file('binary');
  expect(mergeEntries(binary, file('top'), binary, refuse)).toEqual({ kind: 'same', entry: file('top') });
  expect(mergeEntries(binary, binary, null, refuse)).toEqual({ kind: 'same', entry: null });
  expect(mergeEntries(null, binary, binary, refuse)).toEqual({ kind: 'same', entry: binary });
});

test('[ME2] a new mode and new content of an otherwise equal file come together without reading', () => {
  const refuse = () => {
    throw new Error('read');
  };
  const result = mergeEntries(file('plain'), file('plain', '100755'), file('binary'), refuse);
  expect(result).toEqual({ kind: 'same', entry: file('binary', '100755') });
});

test('[ME2] a text merge takes the changed mode', () => {
  const result = mergeEntries(file('plain'), file('top', '100755'), file('bottom'), read);
  assert(result.kind === 'merged', 'merged');
  expect(result.mode).toBe('100755');
  expect(new TextDecoder().decode(result.bytes)).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
});

test('[ME6] a merge that ends at a blob of one side names that blob', () => {
  const both: MergeEntry = { mode: '100644', oid: put('ONE\ntwo\nthree\nfour\nFIVE\n') };
  expect(mergeEntries(file('plain'), both, file('bottom'), read)).toEqual({ kind: 'same', entry: both });
  expect(mergeEntries(file('plain'), file('bottom', '100755'), both, read)).toEqual({
    kind: 'same',
    entry: { ...both, mode: '100755' },
  });
  expect(mergeEntries(null, file('empty'), both, read)).toEqual({ kind: 'same', entry: both });
});
