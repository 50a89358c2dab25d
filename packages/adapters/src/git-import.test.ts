// Taking over repositories by stock git, and refusing those that cannot be.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { type GitRunner, importRepository, type TrunkRepository } from '@firetrident/trunk';
import { describe, expect, it } from 'vitest';
import { nodeCodec } from './codec.ts';
import { NodeDisk } from './disk.ts';
import { NodeGit } from './git.ts';
import { GitSandbox, landTexts } from './git-sandbox.fixture.ts';

function take(sandbox: GitSandbox, source: string, branch?: string): Promise<TrunkRepository> {
  const options = { source: sandbox.path(source), directory: sandbox.path('trunk.git') };
  const git = new NodeGit();
  return importRepository(git, new NodeDisk(), nodeCodec, branch === undefined ? options : { ...options, branch });
}

function makeSource(sandbox: GitSandbox): void {
  sandbox.git(['init', '-q', '-b', 'main', 'source']);
  for (const text of ['one', 'two']) {
    writeFileSync(sandbox.path('source/file.txt'), text);
    sandbox.git(['-C', 'source', 'add', '.']);
    sandbox.git(['-C', 'source', 'commit', '-q', '-m', text]);
  }
  sandbox.git(['-C', 'source', 'branch', 'other', 'main~1']);
  sandbox.git(['-C', 'source', 'tag', 'v1']);
}

describe('importRepository', () => {
  it('[IM1] takes one branch and nothing else, leaves the source alone, and lands on it', async () => {
    using sandbox = new GitSandbox();
    makeSource(sandbox);
    const before = sandbox.git(['-C', 'source', 'for-each-ref']);
    const repository = await take(sandbox, 'source');
    expect(repository.branch).toBe('main');
    expect(repository.listRefs('refs/').map(({ name }) => name)).toEqual(['refs/heads/main']);
    expect(existsSync(sandbox.path('trunk.git/hooks'))).toBe(false);
    landTexts(repository, { 'file.txt': 'three' });
    sandbox.fsck();
    expect(sandbox.git(['--git-dir', 'trunk.git', 'rev-list', '--count', 'main'])).toBe('3');
    expect(sandbox.git(['-C', 'source', 'for-each-ref'])).toBe(before);
    expect(sandbox.git(['-C', 'source', 'status', '--porcelain'])).toBe('');
  });

  it('takes the branch that is asked for, also from an address', async () => {
    using sandbox = new GitSandbox();
    makeSource(sandbox);
    const options = {
      source: `file://${sandbox.path('source')}`,
      directory: sandbox.path('trunk.git'),
      branch: 'other',
    };
    const repository = await importRepository(new NodeGit(), new NodeDisk(), nodeCodec, options);
    expect(repository.trunkRef).toBe('refs/heads/other');
    expect(sandbox.git(['--git-dir', 'trunk.git', 'show', 'HEAD:file.txt'])).toBe('one');
  });

  it('refuses by name what it cannot take, and leaves nothing that can be opened', async () => {
    using sandbox = new GitSandbox();
    makeSource(sandbox);
    sandbox.git(['init', '-q', 'empty']);
    sandbox.git(['init', '-q', '--object-format=sha256', 'wide']);
    sandbox.git(['-C', 'wide', 'commit', '-q', '--allow-empty', '-m', 'wide']);
    sandbox.git(['clone', '-q', '--depth=1', `file://${sandbox.path('source')}`, 'shallow']);
    const failure = (source: string, branch?: string): Promise<unknown> =>
      take(sandbox, source, branch).catch((error) => error);
    expect(await failure('none')).toMatchObject({ kind: 'not-a-repository' });
    expect(await failure('empty')).toMatchObject({ kind: 'empty' });
    expect(await failure('source', 'missing')).toMatchObject({
      kind: 'missing-branch',
      message: expect.stringContaining('it has: main, other'),
    });
    expect(await failure('wide')).toMatchObject({ kind: 'unsupported', message: expect.stringContaining('SHA-1') });
    expect(await failure('shallow')).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('shallow'),
    });
    sandbox.git(['-C', 'source', 'checkout', '-q', '--detach']);
    expect(await failure('source')).toMatchObject({
      kind: 'missing-branch',
      message: expect.stringContaining('no branch checked out'),
    });
    expect(() => sandbox.open()).toThrow(/not finished|not a bare git repository/);
    const hostile = { source: '--upload-pack=touch x', directory: sandbox.path('trunk.git') };
    await expect(importRepository(new NodeGit(), new NodeDisk(), nodeCodec, hostile)).rejects.toMatchObject({
      kind: 'not-a-repository',
    });
  });

  it('[IM2] can be done again after it was cut off, and never over a repository that is there', async () => {
    using sandbox = new GitSandbox();
    makeSource(sandbox);
    const cut = { run: async () => Promise.reject(new Error('killed')) };
    const options = { source: sandbox.path('source'), directory: sandbox.path('trunk.git'), branch: 'main' };
    const listing = new NodeGit();
    const git: GitRunner = {
      run: (args) => (args[0] === 'ls-remote' ? listing.run(args) : cut.run()),
      close: () => listing.close(),
    };
    await expect(importRepository(git, new NodeDisk(), nodeCodec, options)).rejects.toThrow('killed');
    expect(() => sandbox.open()).toThrow('not finished');
    const repository = await take(sandbox, 'source');
    expect(repository.tip()).toBe(sandbox.git(['-C', 'source', 'rev-parse', 'main']));
    await expect(take(sandbox, 'source')).rejects.toMatchObject({ kind: 'exists' });
  });
});

describe('open', () => {
  it('[LY2] refuses by name what the writer does not handle', () => {
    using sandbox = new GitSandbox();
    makeSource(sandbox);
    const refusal = (name: string): string => {
      try {
        sandbox.open(name);
      } catch (error) {
        return String(error);
      }
      return 'opened';
    };
    expect(refusal('source/.git')).toContain('has a working tree');
    sandbox.git(['init', '-q', '--bare', '--object-format=sha256', 'wide.git']);
    expect(refusal('wide.git')).toContain('object format sha256');
    sandbox.git(['clone', '-q', '--bare', 'source', 'table.git']);
    sandbox.git(['--git-dir', 'table.git', 'config', 'core.repositoryformatversion', '1']);
    expect(refusal('table.git')).toBe('opened');
    sandbox.git(['--git-dir', 'table.git', 'config', 'extensions.refStorage', 'reftable']);
    expect(refusal('table.git')).toContain('stores refs as reftable');
    sandbox.git(['clone', '-q', '--bare', '--depth=1', `file://${sandbox.path('source')}`, 'shallow.git']);
    expect(refusal('shallow.git')).toContain('shallow');
    sandbox.git(['init', '-q', '--bare', 'empty.git']);
    expect(refusal('empty.git')).toContain('no branch');
    expect(refusal('none.git')).toContain('not a bare git repository');
    expect(readdirSync(sandbox.directory)).not.toContain('none.git');
  });
});
