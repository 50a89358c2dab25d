import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, gitBytes, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { listCaptured } from './captured-work.ts';
import { changedWrites } from './changes.ts';
import { borrowedRepository, Checkout, NotCapturedError } from './checkout.ts';
import { sparsePatterns } from './git-directory.ts';

const place = temporaryDirectory('firetrident-checkout-');
const source = join(place.path, 'source');
const repository = join(place.path, 'trunk.git');
let first = '';
let second = '';

beforeAll(() => {
  makeRepository(source, {
    'a.txt': 'one\n',
    'b/c.txt': 'two\n',
    'd/e.txt': 'far\n',
    '.gitignore': 'installed/\n',
  });
  first = git(source, ['rev-parse', 'HEAD']).trim();
  writeFileSync(join(source, 'a.txt'), 'three\n');
  git(source, ['commit', '-qam', 'Second']);
  second = git(source, ['rev-parse', 'HEAD']).trim();
  git(place.path, ['clone', '-q', '--bare', source, repository]);
});
afterAll(() => place.remove());

const captured = join(place.path, 'captured.git');

/** A person's checkout, or with `desk` one of a fleet. */
function checkout(name: string, desk = false): Checkout {
  const directory = join(place.path, name);
  const made = new Checkout({
    directory,
    repository,
    captured,
    ...(desk ? { desk: join(place.path, 'desks', name) } : {}),
  });
  made.prepare();
  return made;
}

/** A checkout in which an agent is at work. */
async function atWork(name: string): Promise<Checkout> {
  const made = checkout(name, true);
  await made.moveTo(first, 'test');
  made.openFront('agent-1');
  made.begin('int_1');
  return made;
}

const write = ({ place: { directory } }: Checkout, path: string, text: string | Buffer) =>
  writeFileSync(join(directory, path), text);
const read = ({ place: { directory } }: Checkout, path: string) => readFileSync(join(directory, path), 'utf8');
const show = (commit: string | undefined, path: string) => gitBytes(captured, ['show', `${commit}:${path}`]);

describe('a checkout', () => {
  it('shows the files of a commit and copies no object', async () => {
    const made = checkout('shares');
    await made.moveTo(first, 'test');
    const { directory } = made.place;
    expect(read(made, 'a.txt')).toBe('one\n');
    expect(git(directory, ['status', '--porcelain'])).toBe('');
    expect(git(directory, ['rev-parse', 'HEAD']).trim()).toBe(first);
    // No pack, and no loose object.
    expect(git(directory, ['count-objects', '-v'])).toMatch(/^count: 0$[\s\S]*^in-pack: 0$/m);
    expect(readdirSync(join(directory, '.git/objects')).sort()).toEqual(['info', 'pack']);
    expect(borrowedRepository(directory)).toBe(repository);
  });

  it('sees commits that came into the repository after it was made', async () => {
    const made = checkout('later');
    await made.moveTo(first, 'test');
    writeFileSync(join(source, 'new.txt'), 'new\n');
    git(source, ['add', 'new.txt']);
    git(source, ['commit', '-qm', 'Third']);
    git(source, ['push', '-q', repository, 'main']);
    await made.moveTo(git(source, ['rev-parse', 'HEAD']).trim(), 'test');
    expect(existsSync(join(made.place.directory, 'new.txt'))).toBe(true);
  });

  it.each([false, true])(
    '[CK1] captures what was not proposed under a ref before the files move (desk: %s)',
    async (desk) => {
      const made = checkout(`captures-${desk}`, desk);
      await made.moveTo(first, 'test');
      made.begin('int_1');
      const picture = Buffer.from([0, 255, 1, 254]);
      write(made, 'a.txt', 'mine\n');
      write(made, 'picture', picture);
      rmSync(join(made.place.directory, 'b/c.txt'));
      const capture = await made.moveTo(second, 'int_1');
      expect(read(made, 'a.txt')).toBe('three\n');
      expect(existsSync(join(made.place.directory, 'picture'))).toBe(false);
      expect(show(capture?.commit, 'a.txt').toString()).toBe('mine\n');
      expect(show(capture?.commit, 'picture')).toEqual(picture);
      expect(
        git(captured, ['diff', '--name-status', first, capture?.commit ?? ''])
          .trim()
          .split('\n'),
      ).toEqual(['M\ta.txt', 'D\tb/c.txt', 'A\tpicture']);
      expect(await listCaptured(captured)).toContainEqual(
        expect.objectContaining({ id: capture?.id, commit: capture?.commit, reason: 'int_1' }),
      );
    },
  );

  it('[CK1] captures nothing that the colony holds', async () => {
    const made = await atWork('forgets');
    write(made, 'a.txt', 'mine\n');
    made.forget();
    expect(await made.capture('held')).toBeNull();
    expect(await made.moveTo(first, 'held')).toBeNull();
    expect(read(made, 'a.txt')).toBe('one\n');
  });

  it('[CK3] is taken over from a runner that was killed, its lock included, and captured', async () => {
    const before = await atWork('killed');
    write(before, 'a.txt', 'half done\n');
    writeFileSync(join(before.tree.gitDirectory, 'index.lock'), '');
    utimesSync(join(before.tree.gitDirectory, 'index.lock'), 1, 1);
    const after = checkout('killed', true);
    await after.takeOver();
    expect(after.work).toBe('int_1');
    expect(show((await after.capture('int_1'))?.commit, 'a.txt').toString()).toBe('half done\n');
    await after.moveTo(first, 'int_1');
    expect(checkout('killed', true).work).toBeNull();
  });

  it('[CP2] captures the files of repositories that were made inside, with and without a commit', async () => {
    const made = await atWork('inner');
    const { directory } = made.place;
    makeRepository(join(directory, 'inner'), { 'x.txt': 'x\n' });
    mkdirSync(join(directory, 'empty/deep'), { recursive: true });
    git(join(directory, 'empty'), ['init', '-q']);
    write(made, 'empty/deep/y.txt', 'y\n');
    const capture = await made.moveTo(first, 'int_1');
    expect(capture?.missing).toBeNull();
    expect(['inner/x.txt', 'empty/deep/y.txt'].map((path) => show(capture?.commit, path).toString())).toEqual([
      'x\n',
      'y\n',
    ]);
    expect(existsSync(join(directory, 'inner'))).toBe(false);
  });

  it('[CP1] captures commits and stashes that were made inside', async () => {
    const made = await atWork('commits');
    const { directory } = made.place;
    write(made, 'a.txt', 'committed\n');
    git(directory, ['commit', '-qam', 'Mine']);
    const mine = git(directory, ['rev-parse', 'HEAD']).trim();
    write(made, 'a.txt', 'stashed\n');
    git(directory, ['stash', '-q']);
    git(directory, ['checkout', '-q', '--detach', first]);
    const capture = await made.moveTo(first, 'int_1');
    const [, parent, ...made2] = git(captured, ['rev-list', '--parents', '-1', capture?.commit ?? ''])
      .trim()
      .split(' ');
    expect([parent, made2.includes(mine), made2.length]).toEqual([first, true, 2]);
    expect(made2.map((commit) => show(commit, 'a.txt').toString()).sort()).toEqual(['committed\n', 'stashed\n']);
    expect(git(captured, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('[CK1] [WT1] throws nothing away when a file cannot be captured', async () => {
    const made = await atWork('unreadable');
    write(made, 'a.txt', 'mine\n');
    // A name that git takes from nobody, whatever their rights.
    write(made, 'git~1', 'kept\n');
    await expect(made.moveTo(first, 'int_1')).rejects.toThrow(NotCapturedError);
    expect([read(made, 'a.txt'), read(made, 'git~1')]).toEqual(['mine\n', 'kept\n']);
    await expect(changedWrites(made.tree, { base: first, putBlob: async () => '' })).rejects.toThrow('git~1');
  });

  it('keeps ignored files from one commit to the next, and removes others, repositories inside included', async () => {
    const made = await atWork('cleans');
    const { directory } = made.place;
    mkdirSync(join(directory, 'installed'));
    write(made, 'installed/module', 'x');
    makeRepository(join(directory, 'inner'), { 'x.txt': 'x\n' });
    write(made, 'loose.txt', 'x');
    made.forget();
    await made.moveTo(second, 'test');
    expect(existsSync(join(directory, 'installed/module'))).toBe(true);
    expect(existsSync(join(directory, 'inner'))).toBe(false);
    expect(existsSync(join(directory, 'loose.txt'))).toBe(false);
  });

  it('costs files, not history', async () => {
    const made = checkout('small');
    await made.moveTo(first, 'test');
    const bytes = (folder: string): number =>
      readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
        const path = join(folder, entry.name);
        return sum + (entry.isDirectory() ? bytes(path) : statSync(path).size);
      }, 0);
    expect(bytes(join(made.place.directory, '.git'))).toBeLessThan(2_000);
  });
});

describe('a checkout of a fleet', () => {
  it('holds a repository in which git works as usual, and which is made afresh with each reset', async () => {
    const made = await atWork('usual');
    const { directory } = made.place;
    write(made, 'a.txt', 'mine\n');
    expect(git(directory, ['status', '--porcelain'])).toBe(' M a.txt\n');
    expect(git(directory, ['diff', '--stat'])).toContain('a.txt | 2 +-');
    expect(git(directory, ['log', '--format=%s'])).toBe('First\n');
    git(directory, ['switch', '-qc', 'mine']);
    git(directory, ['commit', '-qam', 'Mine']);
    await made.moveTo(second, 'int_1');
    made.openFront('agent-1');
    expect(git(directory, ['status', '--porcelain', '--branch'])).toBe('## main\n');
    expect(git(directory, ['log', '--format=%s'])).toBe('Second\nFirst\n');
  });

  it('[CK2] is captured although its repository was deleted, or made to mean something else', async () => {
    const made = await atWork('broken');
    const { directory } = made.place;
    write(made, 'a.txt', 'mine\n');
    rmSync(join(directory, '.git'), { recursive: true });
    expect(show((await made.capture('int_1'))?.commit, 'a.txt').toString()).toBe('mine\n');
    for (const trap of ['[core]\n\tfsmonitor = touch sprung\n\tbare = true\n', 'nonsense']) {
      mkdirSync(join(directory, '.git'), { recursive: true });
      write(made, '.git/config', trap);
      write(made, '.git/HEAD', '0'.repeat(40));
      expect(show((await made.capture('int_1'))?.commit, 'a.txt').toString()).toBe('mine\n');
    }
    expect(existsSync(join(directory, 'sprung'))).toBe(false);
    await made.moveTo(first, 'int_1');
    made.openFront('agent-1');
    expect(git(directory, ['status', '--porcelain'])).toBe('');
  });

  it('[CK2] is captured although its desk was deleted, and so is what lay in a folder before', async () => {
    const made = await atWork('bare');
    write(made, 'a.txt', 'mine\n');
    rmSync(made.tree.gitDirectory, { recursive: true });
    const after = checkout('bare', true);
    const capture = await after.moveTo(first, 'int_1');
    expect(show(capture?.commit, 'a.txt').toString()).toBe('mine\n');
    expect(read(after, 'a.txt')).toBe('one\n');
    mkdirSync(join(place.path, 'folder'));
    writeFileSync(join(place.path, 'folder/letter.txt'), 'dear\n');
    const used = await checkout('folder').moveTo(first, 'int_2');
    expect(show(used?.commit, 'letter.txt').toString()).toBe('dear\n');
  });

  it('[CK2] [GD1] harms neither another one nor the colony, whatever is done to it', async () => {
    const [made, other] = [await atWork('vandal'), await atWork('neighbour')];
    const { directory } = made.place;
    const files = (one: Checkout) => ['a.txt', 'b/c.txt'].map((path) => statSync(join(one.place.directory, path)));
    // No file is shared: a link would let what is written here be read there.
    expect(files(made).map(({ nlink }) => nlink)).toEqual([1, 1]);
    expect(files(made).map(({ ino }) => ino)).not.toEqual(files(other).map(({ ino }) => ino));
    const objects = git(repository, ['rev-list', '--objects', '--all']);
    for (const path of ['a.txt', 'b/c.txt']) {
      const handle = openSync(join(directory, path), 'r+');
      writeSync(handle, 'overwritten in place');
      closeSync(handle);
    }
    git(directory, ['commit', '-qam', 'Mine']);
    git(directory, ['repack', '-adq']);
    git(directory, ['prune', '--expire=now']);
    git(directory, ['gc', '-q', '--prune=now', '--aggressive']);
    git(directory, ['update-ref', '-d', 'refs/heads/main']);
    rmSync(join(directory, '.git/objects'), { recursive: true });
    expect(git(repository, ['fsck', '--strict'])).toBe('');
    expect(git(repository, ['rev-list', '--objects', '--all'])).toBe(objects);
    expect(read(other, 'a.txt')).toBe('one\n');
    expect(git(other.place.directory, ['status', '--porcelain'])).toBe('');
    expect((await made.capture('int_1'))?.commit).toBeDefined();
  });

  it('shows only what was asked for, and proposes and captures as if all of it were there', async () => {
    const made = checkout('sparse', true);
    await made.moveTo(first, 'test', sparsePatterns(['b/**']));
    expect(existsSync(join(made.place.directory, 'd/e.txt'))).toBe(false);
    expect(read(made, 'b/c.txt')).toBe('two\n');
    expect(read(made, 'a.txt')).toBe('one\n');
    made.openFront('agent-1');
    made.begin('int_1');
    expect(git(made.place.directory, ['status', '--porcelain'])).toBe('');
    write(made, 'b/c.txt', 'mine\n');
    mkdirSync(join(made.place.directory, 'f'));
    write(made, 'f/new.txt', 'new\n');
    const writes = await changedWrites(made.tree, { base: first, putBlob: async () => '' });
    expect(writes.map(({ path }) => path)).toEqual(['b/c.txt', 'f/new.txt']);
    const capture = await made.moveTo(first, 'int_1', null);
    expect(show(capture?.commit, 'd/e.txt').toString()).toBe('far\n');
    expect(read(made, 'd/e.txt')).toBe('far\n');
  });
});

describe('patterns of a sparse checkout', () => {
  it.each([
    [
      ['src/a/**', 'README.md'],
      ['/*', '!/*/', '/src/a/**', '/README.md'],
    ],
    [
      ['src/{a,b}/x.ts', './src//c'],
      ['/*', '!/*/', '/src/*/x.ts', '/src/c'],
    ],
    [[], null],
    [['**/*.ts'], null],
    [['src', '*.md'], null],
  ])('%j', (paths, patterns) => {
    expect(sparsePatterns(paths)).toEqual(patterns);
  });
});
