// A repository with 20,000 files, and in it what other tools trip over: names in Latin-1, symbolic links, a submodule,
// executable files. Everything that was not written stands byte by byte as stock git wrote it.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git, gitBytes } from '../support/git-repository.ts';
import { Scene } from '../support/scene.ts';
import { fsckViolations } from './repository-check.ts';

const timeoutMs = 180_000;
const folders = 200;
const filesPerFolder = 100;
const submodule = '1234567890123456789012345678901234567890';

/** Paths beside the many plain ones, as bytes in Latin-1, with mode and content. */
const special: readonly (readonly [path: string, mode: string, content: string])[] = [
  ['caf\xe9/na\xefve.txt', '100644', 'caf\xe9\n'],
  ['caf\xe9/\xfc.sh', '100755', '#!/bin/sh\n'],
  ['d000/run.sh', '100755', '#!/bin/sh\nexit 0\n'],
  ['d001/link', '120000', '../d000/f000.txt'],
  ['d001/dangling', '120000', 'nowhere'],
  ['\xff\xfe', '100644', 'no text in any encoding\n'],
];

let daemon: TestDaemon;
let scene: Scene;
let source = '';

beforeAll(async () => {
  daemon = await startTestDaemon();
  source = join(daemon.directory, 'large.git');
  mkdirSync(source);
  git(source, ['init', '-q', '--bare', '-b', 'main']);
  git(source, ['fast-import', '--quiet'], history());
  await daemon.expect(201, 'POST', '/api/colonies', { id: 'large', repo: { path: source } });
  scene = await Scene.of(daemon, 'large');
}, timeoutMs);
afterAll(() => daemon.stop());

/** One commit with everything, for git fast-import. The first file of each folder is like no other. */
function history(): Buffer {
  const parts: Buffer[] = [];
  const blob = (mark: number, content: string) =>
    parts.push(
      Buffer.from(`blob\nmark :${mark}\ndata ${latin1(content).length}\n`),
      latin1(content),
      Buffer.from('\n'),
    );
  for (let number = 1; number < filesPerFolder; number += 1) blob(number, plainContent(0, number));
  for (let folder = 0; folder < folders; folder += 1) blob(filesPerFolder + folder, plainContent(folder, 0));
  special.forEach(([, , content], index) => void blob(1_000 + index, content));
  const head = 'commit refs/heads/main\ncommitter Test <test@example.invalid> 1767225600 +0000\ndata 6\nLarge\n';
  parts.push(Buffer.from(head));
  for (let folder = 0; folder < folders; folder += 1)
    for (let number = 0; number < filesPerFolder; number += 1) {
      const mark = number === 0 ? filesPerFolder + folder : number;
      parts.push(Buffer.from(`M 100644 :${mark} ${plainPath(folder, number)}\n`));
    }
  special.forEach(([path, mode], index) => void parts.push(latin1(`M ${mode} :${1_000 + index} ${path}\n`)));
  parts.push(Buffer.from(`M 160000 ${submodule} vendor/library\n`));
  return Buffer.concat(parts);
}

function plainContent(folder: number, number: number): string {
  return number === 0 ? `the first file of folder ${folder}\n` : `file ${number}\n`;
}

function plainPath(folder: number, number: number): string {
  return `d${String(folder).padStart(3, '0')}/f${String(number).padStart(3, '0')}.txt`;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function base64(path: string): string {
  return latin1(path).toString('base64');
}

/** Every entry of a commit as stock git lists it, one byte for one character. */
function entries(repository: string, commit: string): string[] {
  return gitBytes(repository, ['ls-tree', '-r', '-z', commit]).toString('latin1').split('\0').slice(0, -1);
}

function blobOf(content: string): string {
  return git(scene.repository, ['hash-object', '--stdin'], latin1(content)).trim();
}

describe('a repository with 20,000 files', () => {
  test('is imported as it is', { timeout: timeoutMs }, () => {
    const before = entries(source, 'main');
    expect(before).toHaveLength(folders * filesPerFolder + special.length + 1);
    expect(entries(scene.repository, 'main')).toEqual(before);
    expect(scene.tip()).toBe(git(source, ['rev-parse', 'main']).trim());
  });

  test('[V1] listings, globs and files of it are read', { timeout: timeoutMs }, async () => {
    const root = await scene.expect(200, 'GET', '/tree/');
    expect(root.entries).toHaveLength(folders + 3);
    expect(root.entries).toContainEqual({ nameBase64: base64('caf\xe9'), kind: 'directory' });
    const one = await scene.expect(200, 'GET', '/tree/d123');
    expect(one.entries).toHaveLength(filesPerFolder);
    const file = await scene.call('GET', '/files/caf%E9/na%EFve.txt');
    expect(file.bytes).toEqual(latin1('caf\xe9\n'));
    expect(file.headers.get('x-firetrident-blob')).toBe(blobOf('caf\xe9\n'));
    const link = await scene.call('GET', '/files/d001/link');
    expect(link.bytes.toString()).toBe('../d000/f000.txt');
    expect(link.headers.get('x-firetrident-mode')).toBe('120000');
  });

  test('[V1a] [V2a] what is proposed lands, and nothing else changes', { timeout: timeoutMs }, async () => {
    const before = entries(scene.repository, 'main');
    const reader = await scene.take('reader of a glob');
    const landed = await scene.land('changes of every kind', [
      { path: plainPath(42, 7), content: 'written\n' },
      { path: plainPath(42, 8), delete: true },
      { pathBase64: base64('caf\xe9/na\xefve.txt'), contentBase64: latin1('na\xefve\n').toString('base64') },
      { pathBase64: base64('caf\xe9/\xe0 la carte'), content: 'new\n' },
      { path: 'd001/link', content: '../d000/f001.txt', mode: '120000' },
      { path: plainPath(0, 5), content: plainContent(0, 5), mode: '100755' },
    ]);
    const changed = new Map([
      [plainPath(42, 7), `100644 blob ${blobOf('written\n')}\t`],
      ['caf\xe9/na\xefve.txt', `100644 blob ${blobOf('na\xefve\n')}\t`],
      ['caf\xe9/\xe0 la carte', `100644 blob ${blobOf('new\n')}\t`],
      ['d001/link', `120000 blob ${blobOf('../d000/f001.txt')}\t`],
      [plainPath(0, 5), `100755 blob ${blobOf(plainContent(0, 5))}\t`],
    ]);
    const untouched = before.filter((line) => {
      const path = line.slice(line.indexOf('\t') + 1);
      return !changed.has(path) && path !== plainPath(42, 8);
    });
    const wanted = [...untouched, ...[...changed].map(([path, head]) => `${head}${path}`)];
    expect(entries(scene.repository, landed.commit).sort()).toEqual(wanted.sort());
    const { writes } = await scene.expect(200, 'GET', `/landings/${landed.landing}`);
    expect(writes).toContainEqual(expect.objectContaining({ pathBase64: base64('caf\xe9/na\xefve.txt') }));
    // A glob over a thousand files: the one that is gone was among them.
    const proposed = scene.propose(reader, [{ path: 'glob.txt', content: 'x\n' }], { reads: [{ glob: 'd04?/*.txt' }] });
    const returned = await scene.outcome(reader, proposed);
    expect(returned.brief.reads).toMatchObject([{ glob: 'd04?/*.txt', landing: landed.landing }]);
    const calm = await scene.take('reader of another glob');
    const other = scene.propose(calm, [{ path: 'other.txt', content: 'x\n' }], { reads: [{ glob: 'd1*/*.txt' }] });
    expect((await scene.outcome(calm, other)).state).toBe('landed');
    expect(fsckViolations(scene.repository)).toEqual([]);
  });
});
