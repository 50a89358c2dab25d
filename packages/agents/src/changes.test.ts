import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WriteRequest } from '@firetrident/protocol';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { changedWrites } from './changes.ts';
import { ordinaryTree } from './work-tree.ts';

const place = temporaryDirectory('firetrident-changes-');
let number = 0;
let directory = '';
let base = '';
let sent: Buffer[] = [];

beforeEach(() => {
  number += 1;
  directory = join(place.path, `repository-${number}`);
  makeRepository(directory, { 'a.txt': 'one\n', 'run.sh': { content: 'echo\n', mode: '100755' }, 'gone.txt': 'x\n' });
  base = git(directory, ['rev-parse', 'HEAD']).trim();
});
afterEach(() => {
  sent = [];
});
afterAll(() => place.remove());

async function writes(): Promise<WriteRequest[]> {
  const putBlob = async (bytes: Buffer) => {
    sent.push(bytes);
    return git(directory, ['hash-object', '--stdin'], bytes).trim();
  };
  return changedWrites(ordinaryTree(directory), { base, putBlob });
}

describe('the writes of a checkout', () => {
  it('are none when nothing changed, or was only touched', async () => {
    writeFileSync(join(directory, 'a.txt'), 'one\n');
    expect(await writes()).toEqual([]);
  });

  it('[CH1] tell changes, new files, modes, links and deletions', async () => {
    writeFileSync(join(directory, 'a.txt'), 'zwei ä\n');
    writeFileSync(join(directory, 'new.txt'), '');
    chmodSync(join(directory, 'run.sh'), 0o644);
    symlinkSync('a.txt', join(directory, 'link'));
    rmSync(join(directory, 'gone.txt'));
    expect(await writes()).toEqual([
      { path: 'a.txt', content: 'zwei ä\n', mode: '100644' },
      { path: 'gone.txt', delete: true },
      { path: 'link', content: 'a.txt', mode: '120000' },
      { path: 'new.txt', content: '', mode: '100644' },
      { path: 'run.sh', content: 'echo\n', mode: '100644' },
    ]);
  });

  it('[CH1] tell a renamed file as a deletion and a new file', async () => {
    renameSync(join(directory, 'a.txt'), join(directory, 'b.txt'));
    expect(await writes()).toEqual([
      { path: 'a.txt', delete: true },
      { path: 'b.txt', content: 'one\n', mode: '100644' },
    ]);
  });

  it('[CH1] tell what became a link, and what was committed on the way', async () => {
    rmSync(join(directory, 'a.txt'));
    symlinkSync('gone.txt', join(directory, 'a.txt'));
    git(directory, ['add', '-A']);
    git(directory, ['commit', '-qm', 'On the way']);
    expect(await writes()).toEqual([{ path: 'a.txt', content: 'gone.txt', mode: '120000' }]);
  });

  it('carry bytes that are no text, and names that are not UTF-8, in base64', async () => {
    const name = Buffer.from('caf\xe9.bin', 'latin1');
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), name]), Buffer.from([0, 255, 254]));
    writeFileSync(join(directory, 'a.txt'), Buffer.from('na\xefve\n', 'latin1'));
    expect(await writes()).toEqual([
      { path: 'a.txt', contentBase64: Buffer.from('na\xefve\n', 'latin1').toString('base64'), mode: '100644' },
      { pathBase64: name.toString('base64'), contentBase64: 'AP/+', mode: '100644' },
    ]);
  });

  it('hold what git would commit, after its attributes', async () => {
    writeFileSync(join(directory, '.gitattributes'), '*.txt text eol=crlf\n');
    writeFileSync(join(directory, 'a.txt'), 'two\r\nlines\r\n');
    expect(await writes()).toContainEqual({ path: 'a.txt', content: 'two\nlines\n', mode: '100644' });
  });

  it('send large contents ahead and name them', async () => {
    const bytes = Buffer.alloc(300_000, 'x');
    writeFileSync(join(directory, 'large.txt'), bytes);
    const blob = git(directory, ['hash-object', 'large.txt']).trim();
    expect(await writes()).toEqual([{ path: 'large.txt', blob, mode: '100644' }]);
    expect(sent.map((each) => each.equals(bytes))).toEqual([true]);
  });

  it('leave out ignored files and repositories inside', async () => {
    writeFileSync(join(directory, '.gitignore'), 'built/\n');
    git(directory, ['init', '-q', 'built']);
    makeRepository(join(directory, 'inner'), { 'x.txt': 'x\n' });
    expect(await writes()).toEqual([{ path: '.gitignore', content: 'built/\n', mode: '100644' }]);
  });
});
