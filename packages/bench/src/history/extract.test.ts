// What is extracted from a real repository.

import type { HistoryCommit } from '@firetrident/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extractHistory } from './extract.ts';
import { GitPlace } from './git-place.fixture.ts';

let place: GitPlace;
beforeEach(() => {
  place = new GitPlace();
});
afterEach(() => place.remove());

async function extracted(limit: number | null = null, repository = place.directory): Promise<HistoryCommit[]> {
  const commits: HistoryCommit[] = [];
  for await (const commit of extractHistory({ repository, limit })) commits.push(commit);
  return commits;
}

const shapes = 'export const one = 1;\n\nexport function two(): number {\n  return 2;\n}\n';

describe('the facts of a history', () => {
  it('[EX1] [EX2] [CS1] are files, hunks, touched names and what is imported, oldest first', async () => {
    const first = place.commit({ 'src/shapes.ts': shapes, 'README.md': 'a\nb\n' });
    const second = place.commit({
      'src/use.ts': "import { two } from './shapes.ts';\nimport 'node:fs';\nexport const x = two();\n",
    });
    const third = place.commit({
      'src/shapes.ts': shapes.replace('return 2', 'return 3').replace('\n\n', '\n// a word\n\n'),
    });
    const fourth = place.commit({ 'src/use.ts': null });
    const time = expect.any(Number);
    expect(await extracted()).toEqual([
      {
        id: first,
        time,
        files: [
          { path: 'README.md', status: 'A', hunks: [[0, 0, 1, 2]], symbols: null },
          { path: 'src/shapes.ts', status: 'A', hunks: [[0, 0, 1, 5]], symbols: ['one', 'two'] },
        ],
        reads: [],
      },
      {
        id: second,
        time,
        files: [{ path: 'src/use.ts', status: 'A', hunks: [[0, 0, 1, 3]], symbols: ['x'] }],
        reads: [{ path: 'src/shapes.ts', symbols: ['two'] }],
      },
      {
        id: third,
        time,
        files: [
          {
            path: 'src/shapes.ts',
            status: 'M',
            hunks: [
              [1, 0, 2, 1],
              [4, 1, 5, 1],
            ],
            symbols: ['two'],
          },
        ],
        reads: [],
      },
      {
        id: fourth,
        time,
        files: [{ path: 'src/use.ts', status: 'D', hunks: [[1, 3, 0, 0]], symbols: ['x'] }],
        reads: [],
      },
    ]);
  });

  it('[CS2] leave open what a text that does not parse, or a star, touches', async () => {
    place.commit({
      'a.ts': 'export const = ;\n',
      'b.ts': "export * from './c.ts';\n",
      'c.ts': 'export const c = 1;\n',
    });
    const [commit] = await extracted();
    expect(commit?.files.map((file) => file.symbols)).toEqual([null, null, ['c']]);
  });

  it('[LG2] follow first parents: a merge counts with what it brought, and an empty commit not at all', async () => {
    const first = place.commit({ a: '1\n' });
    place.git('switch', '--quiet', '--create', 'side');
    place.commit({ b: '1\n' });
    place.commit({ b: '2\n' });
    place.git('switch', '--quiet', 'main');
    place.commit({});
    place.git('merge', '--quiet', '--no-ff', '--no-edit', 'side');
    const merge = place.git('rev-parse', 'HEAD');
    const commits = await extracted();
    expect(commits.map((commit) => commit.id)).toEqual([first, merge]);
    expect(commits[1]?.files).toEqual([{ path: 'b', status: 'A', hunks: [[0, 0, 1, 1]], symbols: null }]);
  });

  it('[LG1] [LG3] [BT1] with a limit know the files before it; renames, odd names and binary files are taken as git tells them', async () => {
    place.commit({ 'src/shapes.ts': shapes, 'old name.txt': 'text\n' });
    place.git('mv', 'old name.txt', 'größe "1".txt');
    const content = new Uint8Array([0, 1, 2, 255]);
    const last = place.commit({
      'use.ts': "import { one } from './src/shapes.ts';\nexport default one;\n",
      'x.png': content,
    });
    const [commit, ...none] = await extracted(1);
    expect(none).toEqual([]);
    expect(commit?.id).toBe(last);
    expect(commit?.files.map(({ path, status, hunks }) => [path, status, hunks.length])).toEqual([
      ['"größe \\"1\\".txt"', 'A', 1],
      ['old name.txt', 'D', 1],
      ['use.ts', 'A', 1],
      ['x.png', 'A', 0],
    ]);
    expect(commit?.reads).toEqual([{ path: 'src/shapes.ts', symbols: ['one'] }]);
  });

  it('[LG1] keep hunks with their files when a file becomes a link', async () => {
    place.commit({ a: '1\n', m: '1\n', z: '1\n' });
    place.git('rm', '--quiet', '--cached', 'm');
    const blob = place.git('hash-object', '-w', 'a');
    place.git('update-index', '--add', '--cacheinfo', `120000,${blob},m`);
    place.git('commit', '--quiet', '--message', 'link');
    place.git('checkout', '--quiet', '--', '.');
    place.commit({ z: '1\n2\n' });
    const commits = await extracted();
    expect(commits[1]?.files.map((file) => [file.path, file.status])).toEqual([['m', 'T']]);
    expect(commits[2]?.files).toEqual([{ path: 'z', status: 'M', hunks: [[1, 0, 2, 1]], symbols: null }]);
  });

  it('[GL2] say what git says when there is no history', async () => {
    await expect(extracted()).rejects.toMatchObject({ name: 'HistoryError' });
    const nowhere = extracted(null, `${place.directory}/none`);
    await expect(nowhere).rejects.toMatchObject({ name: 'HistoryError', message: expect.stringContaining('none') });
  });
});
