// The stand-ins behave as what they stand in for: maps as maps, trees as git's trees, merges by parts.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeFacts } from './fake-facts.ts';
import { fakeHash } from './fake-facts-content.ts';
import { FakeMap } from './fake-facts-map.ts';
import { FakeTree } from './fake-facts-tree.ts';
import type { Entry } from './model.ts';

const file = (text: string): Entry => ({ mode: '100644', oid: fakeHash(text) });
const paths = ['a', 'A', 'b/1', 'b/2', 'b/c/1', 'B/1', 'd/e/f/1', 'd/e/F/1'];

test('a persistent map holds what a map holds, and keeps its older versions', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.option(fc.nat(9))), { maxLength: 600 });
  fc.assert(
    fc.property(steps, (list) => {
      const model = new Map<string, number>();
      let map = FakeMap.empty<number>();
      for (const [key, value] of list) {
        const older = map;
        const sizeBefore = older.size;
        if (value === null) model.delete(`key ${key}`);
        else model.set(`key ${key}`, value);
        map = value === null ? map.delete(`key ${key}`) : map.set(`key ${key}`, value);
        expect([older.size, map.size]).toEqual([sizeBefore, model.size]);
      }
      expect(new Map(map.entries())).toEqual(model);
      for (let key = 0; key <= 300; key += 1) expect(map.get(`key ${key}`)).toBe(model.get(`key ${key}`));
    }),
    { numRuns: 30 },
  );
});

test('a tree changed step by step is the tree of its files', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...paths), fc.option(fc.constantFrom('x', 'y'))), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (list) => {
      let tree = FakeTree.of([]);
      const files = new Map<string, Entry>();
      for (const [path, text] of list) {
        tree = tree.with([{ path, entry: text === null ? null : file(text) }]);
        if (text === null) files.delete(path);
        else files.set(path, file(text));
      }
      const whole = FakeTree.of(files);
      expect(new Map(tree.entries())).toEqual(files);
      const folders = ['', 'b', 'b/c', 'B', 'd', 'd/e', 'd/e/f', 'd/e/F'];
      for (const folder of folders) {
        expect(tree.list(folder)).toEqual(whole.list(folder));
        const isFolder = [...files.keys()].some((path) => path.startsWith(`${folder}/`));
        if (folder !== '') expect(tree.kind(folder)).toBe(isFolder ? 'directory' : 'absent');
      }
      for (const path of paths) {
        expect([path, tree.caseClash(path)]).toEqual([path, caseClash(path, tree, [...files.keys()])]);
        expect(tree.entry(path)).toEqual(files.get(path) ?? null);
      }
    }),
  );
});

function caseClash(path: string, tree: FakeTree, others: readonly string[]): string | null {
  const segments = path.split('/');
  const prefixes = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  const absent = prefixes.find((prefix) => tree.kind(prefix) === 'absent');
  const level = absent?.split('/').length;
  const spelled = others.map((other) => other.split('/').slice(0, level).join('/')).sort();
  const folder = absent?.slice(0, absent.lastIndexOf('/') + 1) ?? '';
  return spelled.find((other) => other.startsWith(folder) && other.toLowerCase() === absent?.toLowerCase()) ?? null;
}

test('a tree refuses a name that is both file and folder', () => {
  const tree = FakeTree.of([['a/b', file('x')]]);
  expect(() => tree.with([{ path: 'a', entry: file('y') }])).toThrow('a is a folder');
  expect(() => tree.with([{ path: 'a/b/c', entry: file('y') }])).toThrow('a/b is a file');
  const moved = tree.with([
    { path: 'a/b', entry: null },
    { path: 'a', entry: file('y') },
  ]);
  expect(moved.kind('a')).toBe('file');
});

describe('merging by parts', () => {
  const facts = new FakeFacts();
  test('sides that changed different parts merge, whichever way round', () => {
    const base = facts.file({ one: 'a', two: 'a' });
    const left = facts.file({ one: 'b', two: 'a' });
    const right = facts.file({ one: 'a', two: 'b', three: 'c' });
    const merged = { kind: 'merged', entry: facts.file({ one: 'b', two: 'b', three: 'c' }) };
    expect(facts.merge('f', base, left, right)).toMatchObject(merged);
    expect(facts.merge('f', base, right, left)).toMatchObject(merged);
  });
});
