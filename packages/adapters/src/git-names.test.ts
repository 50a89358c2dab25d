// Histories with everything that git once allowed: landing beside it leaves it as it is, byte for byte.

import { type Oid, pathText } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { GitSandbox, landTexts } from './git-sandbox.fixture.ts';

const inTrunk = ['--git-dir', 'trunk.git'];

/** Puts a commit on trunk whose root tree has the given entries, raw. */
function plant(sandbox: GitSandbox, entries: readonly (readonly [mode: string, name: Buffer, oid: Oid])[]): void {
  const raw = Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} `), name, Buffer.from([0]), Buffer.from(oid, 'hex')]),
  );
  const tree = sandbox.git([...inTrunk, 'hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], raw);
  const commit = sandbox.git([...inTrunk, 'commit-tree', tree, '-p', 'main', '-m', 'Planted']);
  sandbox.git([...inTrunk, 'update-ref', 'refs/heads/main', commit]);
}

function listing(sandbox: GitSandbox): string[] {
  return sandbox
    .gitBytes([...inTrunk, 'ls-tree', '-r', '-z', 'main'])
    .toString('latin1')
    .split('\0')
    .slice(0, -1);
}

describe('names and modes', () => {
  it('[DR2] survive: Latin-1 names, symbolic links, submodules, group-writable files', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const blob = sandbox.git([...inTrunk, 'hash-object', '-w', '--stdin'], 'target');
    const submodule = '1234567890123456789012345678901234567890';
    const latin = Buffer.from('gr\xfc\xdfe.txt', 'latin1');
    plant(sandbox, [
      ['100664', Buffer.from('a-group-writable'), blob],
      ['100755', Buffer.from('b-program'), blob],
      ['120000', Buffer.from('c-link'), blob],
      ['160000', Buffer.from('d-module'), submodule],
      ['100644', latin, blob],
    ]);
    const before = listing(sandbox);
    landTexts(repository, { 'b-new': 'new\n', 'e/deep/file': 'deep\n', [pathText(latin).replace('gr', 'kl')]: 'kl\n' });
    const after = listing(sandbox);
    expect(after.filter((line) => before.includes(line))).toEqual(before);
    expect(after.length).toBe(before.length + 3);
    // Listings show plain modes: the odd one is in the tree itself.
    const raw = sandbox.gitBytes([...inTrunk, 'cat-file', 'tree', 'main']).toString('latin1');
    expect(raw).toContain('100664 a-group-writable\0');
    const tree = repository.commitTree(repository.tip());
    expect(tree.entry('a-group-writable')).toEqual({ mode: '100644', oid: blob });
    expect(tree.entry('b-program')).toEqual({ mode: '100755', oid: blob });
    expect(tree.entry('c-link')).toEqual({ mode: '120000', oid: blob });
    expect(tree.entry('d-module')).toEqual({ mode: '160000', oid: submodule });
    expect(tree.entry(pathText(latin))).toEqual({ mode: '100644', oid: blob });
    landTexts(repository, { [pathText(latin)]: null, 'c-link': null });
    expect(listing(sandbox).length).toBe(after.length - 2);
    expect(repository.detectForeign(repository.tip())).toEqual({ kind: 'same' });
  });

  it('[DR2] a folder whose mode has a leading zero is a folder, and keeps its mode while nothing in it changes', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const first = landTexts(repository, { 'inner/x': 'x\n' });
    const inner = sandbox.git([...inTrunk, 'rev-parse', `${first.tip}:inner`]);
    plant(sandbox, [['040000', Buffer.from('old'), inner]]);
    landTexts(repository, { beside: 'beside\n' });
    const raw = sandbox.gitBytes([...inTrunk, 'cat-file', 'tree', 'main']).toString('latin1');
    expect(raw).toContain('040000 old\0');
    expect(repository.commitTree(repository.tip()).kind('old/x')).toBe('file');
    landTexts(repository, { 'old/y': 'y\n' });
    expect(sandbox.git([...inTrunk, 'ls-tree', '-r', '--name-only', 'main']).split('\n')).toEqual([
      'beside',
      'old/x',
      'old/y',
    ]);
  });

  it('refuses trees that it would corrupt, by name', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    const blob = sandbox.git([...inTrunk, 'hash-object', '-w', '--stdin'], 'x');
    plant(sandbox, [
      ['100644', Buffer.from('b'), blob],
      ['100644', Buffer.from('a'), blob],
    ]);
    expect(() => landTexts(repository, { c: 'c\n' })).toThrow(/tree [0-9a-f]{40} cannot be used: .* not in order/);
  });
});
