// Trees against a plain map of paths.

import { comparePaths, type TreePath } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyContent, emptyDirectory } from './directory.ts';
import { directoryChecksum, directoryHasher } from './directory-hash.ts';
import type { Entry, Mode, TreeChange } from './model.ts';
import { ObjectScratch } from './object-scratch.ts';
import { plainCodec } from './plain-codec.ts';
import { Tree } from './tree.ts';
import { adler32 } from './zlib-stored.ts';

function unreachable(): never {
  throw new Error('a tree that was made in memory loads nothing');
}

function emptyTree(): Tree {
  return new Tree(emptyDirectory(), { load: unreachable, hash: directoryHasher(new ObjectScratch(plainCodec)) });
}

const oidOf = fc.integer({ min: 0, max: 5 }).map((value) => String(value).repeat(40));
const modeOf = fc.constantFrom<Mode>('100644', '100755', '120000', '160000');
const entryOf: fc.Arbitrary<Entry> = fc.record({ mode: modeOf, oid: oidOf });
// Few names, among them those whose order depends on being a folder, and bytes that are no UTF-8.
const nameOf = fc.constantFrom('a', 'a.b', 'a-b', 'a0', 'A', 'b', 'ä', '\udce4', 'longer name', '~');
const pathOf = fc.array(nameOf, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

/** The same as a tree, as plainly as can be. */
class Model {
  readonly files = new Map<TreePath, Entry>();

  fits(path: TreePath): boolean {
    for (const other of this.files.keys()) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) return false;
    }
    return true;
  }
}

/** Runs steps of changes on both, leaving out those that would make a name file and folder at once. */
function runBoth(steps: readonly (readonly TreeChange[])[]): { tree: Tree; model: Model; versions: [Tree, Model][] } {
  let tree = emptyTree();
  const model = new Model();
  const versions: [Tree, Model][] = [];
  for (const step of steps) {
    const changes: TreeChange[] = [];
    const named = new Set<string>();
    for (const { path, entry } of step) {
      if (named.has(path) || (entry && !model.fits(path))) continue;
      named.add(path);
      changes.push({ path, entry });
      if (entry) model.files.set(path, entry);
      else model.files.delete(path);
    }
    tree = tree.with(changes);
    const kept = new Model();
    for (const [path, entry] of model.files) kept.files.set(path, entry);
    versions.push([tree, kept]);
  }
  return { tree, model, versions };
}

function contentOf(tree: Tree): Record<string, Entry | null> {
  return Object.fromEntries([...tree.paths()].map((path) => [path, tree.entry(path)]));
}

const stepsOf = fc.array(
  fc.array(fc.record({ path: pathOf, entry: fc.option(entryOf, { nil: null }) }), { maxLength: 8 }),
  { maxLength: 8 },
);

describe('Tree', () => {
  it('[DR1] [DR2] is what a plain map of paths would be, in every version', () => {
    fc.assert(
      fc.property(stepsOf, (steps) => {
        for (const [tree, model] of runBoth(steps).versions) {
          expect(contentOf(tree)).toEqual(Object.fromEntries(model.files));
        }
      }),
    );
  });

  it('has the same id however it was reached (DR3)', () => {
    fc.assert(
      fc.property(stepsOf, fc.boolean(), (steps, sealEarly) => {
        const { tree, model, versions } = runBoth(steps);
        if (sealEarly) for (const [version] of versions) version.oid.at(0);
        const fresh = emptyTree().with([...model.files].map(([path, entry]) => ({ path, entry })));
        expect(tree.oid).toBe(fresh.oid);
      }),
    );
  });

  it('[TR1] is the same object when a change changes nothing, and reports exactly what differs', () => {
    fc.assert(
      fc.property(stepsOf, (steps) => {
        let previous = emptyTree();
        let before = new Map<TreePath, Entry>();
        for (const [tree, model] of runBoth(steps).versions) {
          const expected = [...new Set([...before.keys(), ...model.files.keys()])]
            .map((path) => ({ path, before: before.get(path) ?? null, after: model.files.get(path) ?? null }))
            .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
            .sort((left, right) => comparePaths(left.path, right.path));
          expect(previous.diff(tree)).toEqual(expected);
          if (expected.length === 0) expect(tree.oid).toBe(previous.oid);
          expect(tree.with([...model.files].map(([path, entry]) => ({ path, entry })))).toBe(tree);
          previous = tree;
          before = model.files;
        }
      }),
    );
  });

  it('[TR2] drops folders that become empty', () => {
    const entry: Entry = { mode: '100644', oid: 'a'.repeat(40) };
    const tree = emptyTree().with([{ path: 'a/b/c', entry }]);
    expect(tree.kind('a/b')).toBe('directory');
    expect(tree.with([{ path: 'a/b/c', entry: null }]).oid).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  });

  it('[TR3] crashes when a name would be file and folder, and lets one give way to the other', () => {
    const entry: Entry = { mode: '100644', oid: 'a'.repeat(40) };
    const tree = emptyTree().with([{ path: 'a/b', entry }]);
    expect(() => tree.with([{ path: 'a', entry }])).toThrow('not both a file and a folder');
    expect(() => tree.with([{ path: 'a/b/c', entry }])).toThrow('not both a file and a folder');
    const swapped = tree.with([
      { path: 'a', entry },
      { path: 'a/b', entry: null },
    ]);
    expect([...swapped.paths()]).toEqual(['a']);
    const back = swapped.with([
      { path: 'a', entry: null },
      { path: 'a/x/y', entry },
    ]);
    expect([...back.paths()]).toEqual(['a/x/y']);
  });

  it('stays right in directories of thousands of entries, files and folders mixed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 60 }), (count, stride) => {
        const model = new Map<TreePath, Entry>();
        let tree = emptyTree();
        for (let start = 0; start < count; start += 500) {
          const changes: TreeChange[] = [];
          for (let file = start; file < Math.min(count, start + 500); file += 1) {
            const name = `f${(file * 7919) % 3001}`;
            const path = file % 11 === 0 ? `${name}.d/inner` : name;
            changes.push({ path, entry: { mode: '100644', oid: '1'.repeat(40) } });
          }
          for (const { path, entry } of changes) if (entry) model.set(path, entry);
          tree = tree.with(changes);
        }
        const gone = [...model.keys()].filter((_, index) => index % stride === 0);
        for (const path of gone) model.delete(path);
        tree = tree.with(gone.map((path) => ({ path, entry: null })));
        const fresh = emptyTree().with([...model].map(([path, entry]) => ({ path, entry })));
        expect(tree.oid).toBe(fresh.oid);
        expect([...tree.paths()].length).toBe(model.size);
        const content = new Uint8Array(tree.root.length);
        copyContent(tree.root, content, 0);
        expect(directoryChecksum(tree.root)).toBe(adler32(content, 0, content.length));
      }),
      { numRuns: 20 },
    );
  });

  it('lists one level in git order, and tells kinds apart', () => {
    const entry: Entry = { mode: '100644', oid: 'a'.repeat(40) };
    const tree = emptyTree().with(['a/x', 'a.b', 'a0', 'b'].map((path) => ({ path, entry })));
    expect(tree.list('')?.map((item) => `${item.kind} ${item.name}`)).toEqual([
      'file a.b',
      'directory a',
      'file a0',
      'file b',
    ]);
    expect(tree.list('a')).toEqual([{ name: 'x', kind: 'file', entry }]);
    expect(tree.list('none')).toBeNull();
    expect(['', 'a', 'a/x', 'a/y', 'b/c', 'c'].map((path) => tree.kind(path))).toEqual([
      'directory',
      'directory',
      'file',
      'absent',
      'absent',
      'absent',
    ]);
    expect([...tree.paths('a')]).toEqual(['a/x']);
  });
});

describe('Tree.caseClash', () => {
  const entry: Entry = { mode: '100644', oid: 'a'.repeat(40) };
  const make = (...paths: string[]): Tree => emptyTree().with(paths.map((path) => ({ path, entry })));

  it('finds what differs only in case, at every level', () => {
    const tree = make('src/Main.ts', 'Docs/a.md', 'straße/Ä.txt');
    expect(tree.caseClash('src/main.ts')).toBe('src/Main.ts');
    expect(tree.caseClash('docs/b.md')).toBe('Docs');
    expect(tree.caseClash('straße/ä.txt')).toBe('straße/Ä.txt');
    expect(tree.caseClash('src/Main.ts')).toBeNull();
    expect(tree.caseClash('src/other.ts')).toBeNull();
    expect(tree.caseClash('new/dir/file')).toBeNull();
  });

  it('lets pairs that exist already be written', () => {
    const tree = make('readme', 'README');
    expect(tree.caseClash('readme')).toBeNull();
    expect(tree.caseClash('Readme')).not.toBeNull();
  });

  it('follows changes: the index of one version serves the next', () => {
    let tree = make('a', 'B');
    expect(tree.caseClash('A')).toBe('a');
    tree = tree.with([{ path: 'a', entry: null }]);
    expect(tree.caseClash('A')).toBeNull();
    tree = tree.with([{ path: 'A', entry }]);
    expect(tree.caseClash('a')).toBe('A');
    expect(make('a').caseClash('A')).toBe('a');
  });
});
