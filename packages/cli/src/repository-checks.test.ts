import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { checkNotes, countObjects, fsck, headBranch } from './repository-checks.ts';

const place = temporaryDirectory('firetrident-checks-');
afterAll(() => place.remove());

/** A repository with two landing commits that have notes, and one commit that is no landing. */
function repositoryWithLandings(name: string): string {
  const directory = join(place.path, name);
  makeRepository(directory, { 'a.txt': 'one\n' });
  for (const landing of ['lnd_1', 'lnd_2']) {
    writeFileSync(join(directory, 'a.txt'), landing);
    git(directory, ['commit', '-qam', `Title\n\nFT-Landing: ${landing}\nFT-Intent: int_1`]);
    git(directory, ['notes', '--ref=refs/notes/firetrident', 'add', '-m', '{}']);
  }
  return directory;
}

describe('checks by stock git', () => {
  it('count landings and their notes', async () => {
    const directory = repositoryWithLandings('whole');
    expect(await headBranch(directory)).toBe('main');
    expect(await checkNotes(directory, 'main')).toEqual({ landings: 2, missing: [], notes: 2, fullestFolder: 2 });
    expect(await fsck(directory, true)).toEqual({ ok: true, said: '' });
    expect((await countObjects(directory)).loose).toBeGreaterThan(0);
  });

  it('name a landing whose note is gone, also when there is none at all', async () => {
    const directory = repositoryWithLandings('noteless');
    const last = git(directory, ['rev-parse', 'HEAD']).trim();
    git(directory, ['notes', '--ref=refs/notes/firetrident', 'remove', 'HEAD']);
    expect(await checkNotes(directory, 'main')).toMatchObject({ landings: 2, missing: [last], notes: 1 });
    git(directory, ['update-ref', '-d', 'refs/notes/firetrident']);
    expect(await checkNotes(directory, 'main')).toMatchObject({ landings: 2, notes: 0, fullestFolder: 0 });
    expect((await checkNotes(directory, 'main')).missing).toHaveLength(2);
  });

  it('tell what fsck says of an object that is gone, in both modes', async () => {
    const directory = repositoryWithLandings('broken');
    const blob = git(directory, ['rev-parse', 'HEAD:a.txt']).trim();
    rmSync(join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    for (const full of [false, true]) {
      const { ok, said } = await fsck(directory, full);
      expect(ok).toBe(false);
      expect(said).toContain(blob);
    }
  });
});
