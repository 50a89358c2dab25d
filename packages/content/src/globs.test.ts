import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkGlob,
  compileGlob,
  globAlternativesLimit,
  globLengthLimit,
  globRoot,
  globsOverlap,
  isGlob,
} from './globs.ts';

test.each([
  ['src/*.ts', ['src/a.ts', 'src/.ts', 'src/.b.ts'], ['src/a.tsx', 'src/b/a.ts', 'a.ts']],
  ['src/**', ['src/a', 'src/b/c'], ['src', 'srcs/a']],
  ['**', ['a', 'a/b', '.git2/x'], []],
  ['**/a.ts', ['a.ts', 'x/a.ts', 'x/y/a.ts'], ['ba.ts', 'x/a.ts/b']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/x/c']],
  ['a/**/b/**', ['a/b/c', 'a/b/b/c', 'a/x/b/y/z'], ['a/b']],
  ['src/', ['src/a', 'src/b/c'], ['src', 'source/a']],
  ['src', ['src', 'src/a', 'src/b/c'], ['srcs', 'a/src']],
  ['./src/a.ts', ['src/a.ts'], ['./src/a.ts']],
  ['\\{a,b}', ['{a,b}'], ['a', 'b']],
  ['{a\\,b,c}', ['a,b', 'c'], ['a', 'b']],
  ['src/{a,b}.ts', ['src/a.ts', 'src/b.ts'], ['src/c.ts', 'src/a,b.ts']],
  ['{a,b/{c,d}}/*.md', ['a/x.md', 'b/c/x.md', 'b/d/x.md'], ['b/x.md', 'c/x.md']],
  ['{a,}b', ['ab', 'b'], ['a']],
  ['{a}/x', ['{a}/x'], ['a/x']],
  ['a{b', ['a{b'], ['ab']],
  ['file-[a-c0].ts', ['file-b.ts', 'file-0.ts'], ['file-d.ts', 'file-.ts']],
  ['[!a-c]x', ['dx'], ['ax', '/x', 'x']],
  ['[]-]x', [']x', '-x'], ['ax']],
  ['a\\*b', ['a*b'], ['axb']],
  ['?', ['é', 'a', '\udc80'], ['', 'ab', 'a/b']],
  ['app/[id]/page.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/id/page.tsx']],
  ['a*b*c', ['abc', 'axxbxxc', 'abbcc'], ['ab', 'abcx', 'acb']],
])('[GB1] [GB2] [GS1] [GS2] %s matches %j and not %j', (pattern, matching, others) => {
  const matches = compileGlob(pattern);
  expect(matching.filter((path) => !matches(path))).toEqual([]);
  expect(others.filter((path) => matches(path))).toEqual([]);
});

test.each([
  ['', { code: 'empty' }],
  ['./', { code: 'empty' }],
  ['!src/**', { code: 'negated' }],
  ['/src', { code: 'not_inside_tree' }],
  ['src/../a', { code: 'not_inside_tree' }],
  ['src//a', { code: 'not_inside_tree' }],
  ['{a,/b}', { code: 'not_inside_tree' }],
  ['src/[a', { code: 'unfinished' }],
  ['src/a\\', { code: 'unfinished' }],
  ['{a,b}{a,b}{a,b}{a,b}{a,b}', { code: 'too_many_alternatives', limit: globAlternativesLimit }],
  ['a'.repeat(1025), { code: 'too_long', length: 1025, limit: globLengthLimit }],
])('%j is refused', (pattern, error) => {
  expect(checkGlob(pattern)).toEqual({ ok: false, error });
});

test('a pattern at the limits is accepted', () => {
  expect(checkGlob('{a,b}{a,b}{a,b}{a,b}').ok).toBe(true);
  expect(checkGlob('*a'.repeat(512)).ok).toBe(true);
});

test.each([
  ['src/a/*.ts', 'src/a'],
  ['src/a.ts', 'src/a.ts'],
  ['src/', 'src'],
  ['**/x', ''],
  ['src/{a,b}/c', 'src'],
  ['src/{a/b,a/c}/d', 'src'],
  ['src/[ab]/c', 'src'],
  ['src/a\\*b/*', 'src'],
  ['*', ''],
])('the root of %s is %j', (pattern, root) => {
  expect(globRoot(pattern)).toBe(root);
});

test.each([
  ['src/a/**', 'src/a/b.ts', true],
  ['src/a/**', 'src/ab/**', false],
  ['src/a', 'src/b', false],
  ['**/x', 'src/b', true],
  ['src', 'src/b/*', true],
  ['{a,b}/x', 'c/d', true],
])('%s and %s may overlap: %j', (left, right, expected) => {
  expect(globsOverlap(left, right)).toBe(expected);
  expect(globsOverlap(right, left)).toBe(expected);
});

test.each([
  ['src/a.ts', false],
  ['src/{id}/a', false],
  ['src/{a,b}', true],
  ['src/', true],
  ['a?', true],
  ['[a]', true],
  ['a\\b', true],
])('whether %s is a glob: %j', (text, expected) => {
  expect(isGlob(text)).toBe(expected);
});

test('[GL3] many stars against a long name take no time to speak of', () => {
  const matches = compileGlob(`${'*a'.repeat(500)}b`);
  expect(matches('a'.repeat(4000))).toBe(false);
  expect(compileGlob(`${'**/'.repeat(300)}x`)(`${'a/'.repeat(200)}y`)).toBe(false);
});

const segment = fc
  .array(fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '[a-c]', '\\a', '\\*', '[', ']', '-'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  // git reads "a**/b" differently when what stands before the stars is plain text.
  .filter((text) => !text.includes('**'));
const pattern = fc
  .array(fc.oneof(segment, fc.constantFrom('**', '*', 'a', 'ab', '***')), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter((text) => checkGlob(text).ok);

describe('against git', () => {
  let folder = '';
  const names = ['a', 'b', 'ab', 'ba', '.a', 'a.b', 'c', 'abab', '*', '[ab]', 'a-b', ']', '\\a', '**'];
  const paths = [
    ...names.map((name) => `leaf-${name}`),
    ...names.flatMap((name) => [`a/${name}`, `b/x/${name}`]),
    ...names.flatMap((outer) => names.map((inner) => `ab/${outer}/${inner}`)),
    ...names.flatMap((outer) => ['a', 'b', '*'].map((inner) => `${outer}.d/${inner}`)),
    'c',
    'abc',
    '.b',
    'd/[ab]/a/c/b/a',
    'd/a/a/a/a/b',
  ];

  function git(...parameters: string[]): string {
    return execFileSync('git', parameters, { cwd: folder, encoding: 'utf8' });
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'firetrident-globs-'));
    git('init', '--quiet');
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: folder, input: '', encoding: 'utf8' });
    const entries = paths.map((path) => `100644 ${blob.trim()}\t${path}\n`).join('');
    execFileSync('git', ['update-index', '--index-info'], { cwd: folder, input: entries });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('[GL1] the same paths match as with `git ls-files` and a :(glob) pathspec', () => {
    const all = git('ls-files', '-z').split('\0').slice(0, -1);
    expect(all.length).toBe(new Set(paths).size);
    let matched = 0;
    fc.assert(
      fc.property(pattern, (text) => {
        const theirs = git('ls-files', '-z', '--', `:(glob)${text}`).split('\0').slice(0, -1);
        const matches = compileGlob(text);
        expect(all.filter((path) => matches(path))).toEqual(theirs);
        if (theirs.length > 0) matched += 1;
      }),
      { numRuns: 150 },
    );
    expect(matched).toBeGreaterThan(20);
  });

  test('[GL2] what matches lies at or below the root, and patterns with a path in common overlap', () => {
    fc.assert(
      fc.property(pattern, pattern, (left, right) => {
        const root = globRoot(left);
        const mine = paths.filter(compileGlob(left));
        expect(mine.filter((path) => root !== '' && path !== root && !path.startsWith(`${root}/`))).toEqual([]);
        if (mine.some(compileGlob(right))) expect(globsOverlap(left, right)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
