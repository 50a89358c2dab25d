// Stock git as the oracle: the same objects as git fast-import, and nothing for fsck to say.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Oid, pathBytes, type TreePath } from '@firetrident/base';
import type { CycleCommit, DeclaredWrite, Entry, Mode, TreeChange } from '@firetrident/trunk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GitSandbox, landCycle, startSeconds, tester } from './git-sandbox.fixture.ts';

interface Write {
  readonly path: TreePath;
  /** Null deletes. For submodules the bytes are not stored. */
  readonly entry: { readonly mode: Mode; readonly bytes: Uint8Array } | null;
}

// Names whose order depends on being a folder, case, bytes that are no UTF-8, and characters that git quotes.
const nameOf = fc.constantFrom(
  'a',
  'a.b',
  'a-b',
  'A',
  'ab',
  'z',
  'ä',
  '\udce4\udcff',
  'with space',
  '"quoted"',
  '日本',
);
const pathOf = fc.array(nameOf, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const contentOf = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(new Uint8Array(70_000).fill(120)));
const entryOf = fc.record({ mode: fc.constantFrom<Mode>('100644', '100755', '120000', '160000'), bytes: contentOf });
const writeOf: fc.Arbitrary<Write> = fc.record({ path: pathOf, entry: fc.option(entryOf, { nil: null, freq: 4 }) });
const commitsOf = fc.array(fc.array(writeOf, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 4 });
const cyclesOf = fc.array(commitsOf, { minLength: 1, maxLength: 4 });

const submodule: Oid = '1234567890123456789012345678901234567890';

/** Leaves out writes that change nothing, and those that would make a name file and folder at once. */
function effective(
  writes: readonly Write[],
  files: Map<TreePath, string>,
  keyOf: (write: Write) => string | null,
): Write[] {
  const before = new Map(files);
  const taken = new Set<TreePath>();
  const kept: Write[] = [];
  for (const write of writes) {
    const key = keyOf(write);
    const clash = [...files.keys()].some(
      (path) => path.startsWith(`${write.path}/`) || write.path.startsWith(`${path}/`),
    );
    if (taken.has(write.path) || (before.get(write.path) ?? null) === key || (key !== null && clash)) continue;
    taken.add(write.path);
    kept.push(write);
    if (key === null) files.delete(write.path);
    else files.set(write.path, key);
  }
  return kept;
}

/** The stream for git fast-import that makes the same commits. */
class ImportStream {
  readonly parts: Uint8Array[] = [];

  text(text: string): void {
    this.parts.push(Buffer.from(text));
  }

  data(bytes: Uint8Array): void {
    this.text(`data ${bytes.length}\n`);
    this.parts.push(bytes);
    this.text('\n');
  }

  path(path: TreePath): void {
    let quoted = '';
    for (const byte of pathBytes(path)) quoted += `\\${byte.toString(8).padStart(3, '0')}`;
    this.text(`"${quoted}"\n`);
  }

  commit(ref: string, from: Oid | null, message: string, timeSeconds: number, writes: readonly Write[]): void {
    const who = `${tester.name} <${tester.email}> ${timeSeconds} +0000`;
    this.text(`commit ${ref}\nauthor ${who}\ncommitter ${who}\n`);
    this.data(Buffer.from(message));
    // Later commits of the stream follow the branch by themselves.
    if (from !== null) this.text(`from ${from}\n`);
    const ordered = [...writes].sort((left, right) => Number(left.entry !== null) - Number(right.entry !== null));
    for (const { path, entry } of ordered) {
      if (!entry) this.text('D ');
      else this.text(`M ${entry.mode} ${entry.mode === '160000' ? submodule : 'inline'} `);
      this.path(path);
      if (entry && entry.mode !== '160000') this.data(entry.bytes);
    }
    this.text('\n');
  }
}

describe('the trunk writer against stock git', () => {
  it('makes the same commits as git fast-import, which fsck and verify-pack find in order', () => {
    fc.assert(
      fc.property(cyclesOf, (cycles) => {
        using sandbox = new GitSandbox();
        const repository = sandbox.trunk();
        const stream = new ImportStream();
        const files = new Map<TreePath, string>();
        const landed: Oid[] = [];
        let from: Oid | null = repository.tip();
        let time = startSeconds;
        for (const commits of cycles) {
          time += 1;
          const blobs = new Map<Oid, Uint8Array>();
          const entry = (write: Write): Entry | null => {
            if (!write.entry) return null;
            const { mode, bytes } = write.entry;
            if (mode === '160000') return { mode, oid: submodule };
            const oid = repository.hashBlob(bytes);
            return { mode, oid };
          };
          const key = (write: Write): string | null => JSON.stringify(entry(write)) ?? null;
          const built: CycleCommit[] = [];
          const declared: { writes: DeclaredWrite[] }[] = [];
          let tree = repository.commitTree(repository.tip());
          for (const [index, all] of commits.entries()) {
            const writes = effective(all, files, (write) => (write.entry ? key(write) : null));
            const changes: TreeChange[] = writes.map((write) => ({ path: write.path, entry: entry(write) }));
            for (const { entry: content } of writes) {
              if (content && content.mode !== '160000') blobs.set(repository.hashBlob(content.bytes), content.bytes);
            }
            tree = tree.with(changes);
            const message = `Commit ${index} ä\n\nbody`;
            built.push({ tree, message, author: tester, committer: tester, note: (oid) => `{"of":"${oid}"}` });
            declared.push({ writes: changes.map((change) => ({ kind: 'proposed', ...change })) });
            stream.commit('refs/heads/oracle', from, `${message}\n`, time, writes);
            from = null;
          }
          const parent = repository.tip();
          const notesParent = repository.notesTip();
          const input = { parent, notesParent, commits: built, blobs, timeSeconds: time };
          landed.push(...landCycle(repository, input, { parent, notesParent, commits: declared }).commits);
        }
        sandbox.git(['--git-dir', 'trunk.git', 'fast-import', '--quiet'], Buffer.concat(stream.parts));
        expect(sandbox.git(['--git-dir', 'trunk.git', 'rev-parse', 'oracle'])).toBe(repository.tip());
        sandbox.fsck();
        const indexes = readdirSync(sandbox.path('trunk.git/objects/pack')).filter((name) => name.endsWith('.idx'));
        sandbox.git(['verify-pack', ...indexes.map((name) => `trunk.git/objects/pack/${name}`)]);
        const last = landed.at(-1) as Oid;
        const show = ['--git-dir', 'trunk.git', 'notes', '--ref', 'firetrident', 'show', last];
        expect(sandbox.git(show)).toBe(`{"of":"${last}"}`);
        expectSameTree(sandbox, [...files.keys()]);
      }),
      { numRuns: 12 },
    );
  });

  it('reads what stock git has packed with deltas, packed loosely, or borrows from elsewhere', () => {
    using sandbox = new GitSandbox();
    sandbox.git(['init', '-q', '-b', 'main', 'source']);
    const lines = Array.from({ length: 4000 }, (_, line) => `line ${line} of a file that deltas well`);
    const stream: string[] = [];
    for (let version = 0; version < 12; version += 1) {
      lines[version * 300] = `changed in ${version}`;
      const text = lines.join('\n');
      stream.push(`commit refs/heads/main\ncommitter S <s@x> ${startSeconds + version} +0000\ndata 2\nv\n`);
      stream.push(`M 100644 inline large.txt\ndata ${text.length}\n${text}\n`);
      stream.push(`M 100644 inline folder/${version}.txt\ndata ${version}\n${'x'.repeat(version)}\n\n`);
    }
    sandbox.git(['-C', 'source', 'fast-import', '--quiet'], stream.join(''));
    const expected = sandbox.gitBytes(['-C', 'source', 'show', 'main~5:large.txt']);
    const check = (name: string): void => {
      const repository = sandbox.open(name);
      let commit = repository.tip();
      for (let back = 0; back < 5; back += 1) commit = repository.readCommit(commit).parents[0] as Oid;
      const entry = repository.commitTree(commit).entry('large.txt');
      expect(Buffer.compare(repository.readBlob(entry?.oid ?? '') as Uint8Array, expected)).toBe(0);
      expect([...repository.commitTree(repository.tip()).paths('folder')].length).toBe(12);
    };
    sandbox.git(['clone', '-q', '--bare', 'source', 'loose.git']);
    const packs = sandbox.path('loose.git/objects/pack');
    for (const name of readdirSync(packs).filter((file) => file.endsWith('.pack'))) {
      const pack = readFileSync(join(packs, name));
      rmSync(join(packs, name));
      rmSync(join(packs, name.replace(/pack$/, 'idx')));
      sandbox.git(['--git-dir', 'loose.git', 'unpack-objects', '-q'], pack);
    }
    check('loose.git');
    for (const [name, options] of [
      ['offsets.git', ['repack', '-q', '-adf', '--depth=50']],
      ['names.git', ['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-q', '-adf', '--depth=50']],
    ] as const) {
      sandbox.git(['clone', '-q', '--bare', 'source', name]);
      sandbox.git(['--git-dir', name, ...options]);
      check(name);
    }
    sandbox.git(['clone', '-q', '--bare', '--shared', 'offsets.git', 'borrowing.git']);
    check('borrowing.git');
  });
});

function expectSameTree(sandbox: GitSandbox, paths: readonly TreePath[]): void {
  const listed = sandbox.gitBytes(['--git-dir', 'trunk.git', 'ls-tree', '-r', '-z', '--name-only', 'main']);
  const ours = paths.map((path) => Buffer.from(pathBytes(path)).toString('hex')).sort();
  const theirs = listed.toString('latin1').split('\0').slice(0, -1);
  expect(theirs.map((name) => Buffer.from(name, 'latin1').toString('hex')).sort()).toEqual(ours);
}
