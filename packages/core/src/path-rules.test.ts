// Paths are judged as git judges them: the oracle is git itself, in a real repository.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathBytes, pathText } from '@firetrident/base';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileMode } from './model.ts';
import { checkEntry, checkPath, type PathRefusal } from './path-rules.ts';

const protections = ['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true'];

let repository = '';
let blob = '';
let commit = '';

function git(args: readonly string[], input: Uint8Array = new Uint8Array()): string {
  return execFileSync('git', [...args], { cwd: repository, input, encoding: 'utf8' }).trim();
}

beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'path-rules-'));
  git(['init', '-q', '.']);
  git(['config', 'user.name', 'Test']);
  git(['config', 'user.email', 'test@example.org']);
  blob = git(['hash-object', '-w', '--stdin'], new TextEncoder().encode('x\n'));
  commit = git(['commit-tree', '-m', 'x', git(['mktree'])]);
});

afterAll(() => rmSync(repository, { recursive: true, force: true }));

/** The paths that git would not take into an index on any platform. Paths must be normal: no "", "." or "..". */
function refusedByIndex(paths: readonly string[]): Set<string> {
  const input = Buffer.concat(paths.map((path) => Buffer.concat([pathBytes(path), Buffer.of(0)])));
  const run = spawnSync('git', [...protections, 'update-index', '--force-remove', '-z', '--stdin'], {
    cwd: repository,
    input,
  });
  expect(run.status).toBe(0);
  const refused = new Set<string>();
  for (const line of pathText(new Uint8Array(run.stderr)).split('\n')) {
    if (line.startsWith('Ignoring path ')) refused.add(line.slice('Ignoring path '.length));
  }
  return refused;
}

/** The paths of which a tree holding just that path is an error for `git fsck --strict`. */
function refusedByFsck(entries: readonly { readonly path: string; readonly mode: FileMode }[]): Set<string> {
  const refused = new Set<string>();
  for (const { path, mode } of entries) {
    const isSubmodule = mode === '160000';
    let node = { mode: mode as string, type: isSubmodule ? 'commit' : 'blob', oid: isSubmodule ? commit : blob };
    const trees: string[] = [];
    for (const segment of path.split('/').reverse()) {
      const line = Buffer.concat([Buffer.from(`${node.mode} ${node.type} ${node.oid}\t`), pathBytes(segment)]);
      node = { mode: '040000', type: 'tree', oid: git(['mktree', '-z'], Buffer.concat([line, Buffer.of(0)])) };
      trees.push(node.oid);
    }
    const run = spawnSync('git', ['fsck', '--strict', '--no-dangling', '--no-reflogs', node.oid], { cwd: repository });
    if (run.status !== 0) refused.add(path);
    for (const oid of new Set(trees)) rmSync(join(repository, '.git', 'objects', oid.slice(0, 2), oid.slice(2)));
  }
  return refused;
}

function codeOf(path: string): PathRefusal['code'] | null {
  return checkPath(path)?.code ?? null;
}

const cases: readonly (readonly [string, string, PathRefusal['code'] | null])[] = [
  ['P1', '', 'path_invalid'],
  ['P1', 'a\0b', 'path_invalid'],
  ['P1', 'a//b.txt', 'path_invalid'],
  ['P1', 'a/', 'path_invalid'],
  ['P1', 'a/./b.txt', 'path_invalid'],
  ['P1', '.', 'path_invalid'],
  ['P1', './a', 'path_invalid'],
  ['P2', '../evil.txt', 'path_outside'],
  ['P2', 'a/..', 'path_outside'],
  ['P2', 'a//../b', 'path_outside'],
  ['P2', '/etc/passwd', 'path_outside'],
  ['P2', '/', 'path_outside'],
  ['P2', 'a\\..\\b', 'path_outside'],
  ['P2', '..\\a', 'path_outside'],
  ['P2', '.../a..b/..c', null],
  ['P3', '.git/config', 'path_reserved'],
  ['P3', '.git', 'path_reserved'],
  ['P3', 'src/.GIT/hooks/x', 'path_reserved'],
  ['P3', '.git ', 'path_reserved'],
  ['P3', '.git. .', 'path_reserved'],
  ['P3', 'git~1/x', 'path_reserved'],
  ['P3', 'GIT~1 .', 'path_reserved'],
  ['P3', '.git::$INDEX_ALLOCATION/x', 'path_reserved'],
  ['P3', '.g\u200cit', 'path_reserved'],
  ['P3', '\ufeff.git', 'path_reserved'],
  ['P3', '.git\\config', 'path_reserved'],
  ['P3', 'a\\.git\\b', 'path_reserved'],
  ['P3', 'a\\git~1', 'path_reserved'],
  ['P3', '.git\udcff', 'path_reserved'],
  ['P3', '.gitignore', null],
  ['P3', '.git.x', null],
  ['P3', 'git~2', null],
  ['P3', 'a\\b', null],
  ['P4', '.gitmodules/x', 'path_reserved'],
  ['P4', 'a/GITMOD~1/x', 'path_reserved'],
  ['P4', '.gitattributes /x', 'path_reserved'],
  ['P4', '.gitignore/x', null],
  ['P4', '.gitmodules', null],
  ['P1', 'caf\udce9', null],
  ['P1', 'tab\there\nand there', null],
  ['P1', 'x\ud800y', 'path_invalid'],
  ['P1', 'x\udc7fy', 'path_invalid'],
  ['P1', 'caf\udcc3\udca9', 'path_invalid'],
  ['P1', '.g\udce2\udc80\udc8cit', 'path_invalid'],
  ['P1', 'a'.repeat(255), null],
  ['P1', 'a'.repeat(256), 'path_invalid'],
  ['P1', '\u00e9'.repeat(128), 'path_invalid'],
  ['P1', `${'a'.repeat(15)}/`.repeat(256).slice(0, 4096).replace(/.$/, 'a'), null],
  ['P1', `${'a'.repeat(16)}/`.repeat(256).slice(0, 4097), 'path_invalid'],
];

describe('checkPath', () => {
  test.each(cases)('[%s] %.40j is %s', (_rule, path, code) => {
    expect(codeOf(path)).toBe(code);
  });

  test('[P1] a path that passes is the text of its bytes', () => {
    const units = fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 1, maxLength: 6 });
    const escapes = fc.array(fc.integer({ min: 0xdc00, max: 0xdd10 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.oneof(units, escapes), (codes) => {
        const path = String.fromCharCode(...codes);
        if (checkPath(path) === null) expect(pathText(pathBytes(path))).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });
});

const pieces = [
  ...['.git', '.GIT', 'git~1', 'GiT~1', '.g', 'it', 'git', '.gitmodules', '.gitattributes', 'gitmod~1', 'gitatt~4'],
  ...['gi7eba', 'gi7d29', 'gi7e', '~1', '~12', '~1234', '~', '\\', ':', ' ', '.', 'x', '1', 'T', '\u0131', '\u212a'],
  ...['\u200c', '\u200b', '\u2010', '\u202a', '\u206f', '\ufeff', '\ufffe', '\uffff', '\u00e9', '\ud83d\ude00'],
  ...['\udcff', '\udc80', '\udcc2', '::$INDEX_ALLOCATION'],
];
const segment = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''))
  .filter((text) => text !== '.' && text !== '..' && pathText(pathBytes(text)) === text);

describe('against git', () => {
  test('[P3] the same names are reserved as git refuses on any platform', () => {
    const paths = fc.sample(fc.array(segment, { minLength: 1, maxLength: 3 }), { numRuns: 4000, seed: 7 });
    const tried = [...new Set(paths.map((parts) => parts.join('/')))];
    const refused = refusedByIndex(tried);
    expect(refused.size).toBeGreaterThan(300);
    const onlyMine = tried.filter((path) => checkPath(path)?.problem === 'git-folder' && !refused.has(path));
    // The index overlooks a backslash that begins a name; fsck does not.
    const entries = onlyMine.slice(0, 12).map((path) => ({ path, mode: '100644' as const }));
    expect(refusedByFsck(entries)).toEqual(new Set(entries.map((entry) => entry.path)));
    for (const path of onlyMine) expect(path).toMatch(/(?:^|\/)\\/);
    const allowed = tried.filter((path) => refused.has(path) && checkPath(path) === null);
    expect(allowed).toEqual([]);
  });

  test('[P1] [P2] what is not a plain relative path is refused by git too', () => {
    for (const path of ['', '/a', 'a//b', 'a/', './a', 'a/./b', '../a', 'a/..', 'a/../b']) {
      const run = spawnSync('git', ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], {
        cwd: repository,
      });
      expect([path, run.status === 0]).toEqual([path, false]);
      expect([path, codeOf(path) === null]).toEqual([path, false]);
    }
  });

  test('[P4] [P5] an entry passes only if git fsck --strict accepts a tree with it', { timeout: 60_000 }, () => {
    const names = [
      '.gitmodules',
      '.GITmodules .',
      'gitmod~2',
      'gi7eba~1',
      '~1234567',
      'a\\.gitmodules',
      '.gitm\u200codules',
    ];
    names.push(
      '.gitattributes',
      'gitatt~1',
      'gi7d29~9',
      '.gitignore',
      '.mailmap',
      '.gitmodulesx',
      'gitmod~5',
      'gi7eba~0',
    );
    const modes: readonly FileMode[] = ['120000', '160000', '100755'];
    for (const mode of modes) {
      const entries = names.map((path) => ({ path, mode }));
      const refused = refusedByFsck(entries);
      for (const { path } of entries) {
        expect([mode, path, checkEntry(path, mode) !== null]).toEqual([mode, path, refused.has(path)]);
      }
    }
    const folders = names.map((name) => ({ path: `${name}/x`, mode: '100644' as const }));
    const refused = refusedByFsck(folders);
    for (const { path } of folders) {
      expect([path, checkPath(path) !== null]).toEqual([path, refused.has(path)]);
    }
  });
});
