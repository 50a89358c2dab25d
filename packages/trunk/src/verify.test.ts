// Wrong cycles made on purpose: the verifier has to stop each of them, and name what is wrong.

import { type Oid, utf8 } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { commitText } from './commit-codec.ts';
import { CycleBuilder } from './cycle.ts';
import { cycleOf, land, makeTrunk, type TestWrite, tester } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import type {
  CycleCommit,
  CycleDeclaration,
  CycleInput,
  DeclaredWrite,
  Entry,
  PreparedCycle,
  Verdict,
} from './model.ts';
import { ObjectStore } from './object-store.ts';
import { plainCodec } from './plain-codec.ts';
import type { TrunkRepository } from './repository.ts';
import type { Tree } from './tree.ts';
import { verifyCycle } from './verify.ts';
import type { SeenObject } from './verify-pack.ts';

const seed: TestWrite[] = [
  { path: 'src/a.ts', text: 'one\ntwo\nthree\nfour\nfive\n' },
  { path: 'src/b.ts', text: 'b\n' },
  { path: 'docs/readme.md', text: 'read me\n' },
];
const change: TestWrite[] = [
  { path: 'src/b.ts', text: 'changed\n' },
  { path: 'src/c.ts', text: 'c\n', mode: '100755' },
  { path: 'docs/readme.md', text: null },
];

const diskOf = new WeakMap<TrunkRepository, MemoryDisk>();

function seeded(): TrunkRepository {
  const disk = new MemoryDisk();
  const repository = makeTrunk(disk);
  diskOf.set(repository, disk);
  land(repository, [seed]);
  return repository;
}

/** Builds a cycle after `spoil` had its way with what is built, and verifies it against the honest declaration. */
function verdictOf(
  spoil: (input: CycleInput, repository: TrunkRepository) => CycleInput,
  honest: readonly (readonly TestWrite[])[] = [change],
): Verdict {
  const repository = seeded();
  const { input, declaration } = cycleOf(repository, honest);
  return repository.verify(repository.prepare(spoil(input, repository)), declaration);
}

/** The input with the last commit's tree changed. */
function withTree(input: CycleInput, changes: { path: string; entry: Entry | null }[]): CycleInput {
  const commits = [...input.commits];
  const last = commits.pop();
  if (!last) throw new Error('there is a commit');
  return { ...input, commits: [...commits, { ...last, tree: last.tree.with(changes) }] };
}

function problemOf(verdict: Verdict): string {
  return verdict.ok ? 'ok' : `${verdict.problem} at ${verdict.commit} ${verdict.path ?? ''}`.trim();
}

describe('verifyCycle', () => {
  it('[VF1] [VF2] [VF3] [VF4] accepts an honest cycle of any kind of write', () => {
    expect(verdictOf((input) => input)).toEqual({ ok: true });
    const second: TestWrite[] = [
      { path: 'src', text: 'a file now\n' },
      ...seed.slice(0, 1).map(({ path }) => ({ path, text: null })),
      { path: 'src/b.ts', text: null },
      { path: 'src/c.ts', text: null },
    ];
    expect(verdictOf((input) => input, [change, second])).toEqual({ ok: true });
  });

  it('[VF2] stops a path that nobody declared', () => {
    const extra = (path: string) => (input: CycleInput, repository: TrunkRepository) =>
      withTree(input, [{ path, entry: { mode: '100644', oid: blobIn(input, repository) } }]);
    expect(problemOf(verdictOf(extra('src/extra.ts')))).toBe('undeclared-change at 0 src/extra.ts');
    expect(problemOf(verdictOf(extra('src/a.ts')))).toBe('undeclared-change at 0 src/a.ts');
    const deleted = verdictOf((input) => withTree(input, [{ path: 'src/a.ts', entry: null }]));
    expect(problemOf(deleted)).toBe('undeclared-change at 0 src/a.ts');
  });

  it('[VF2] stops a declared path that is missing, also where nothing changes', () => {
    const restored = verdictOf((input, repository) => {
      const before = repository.commitTree(input.parent);
      return withTree(input, [{ path: 'src/b.ts', entry: before.entry('src/b.ts') }]);
    });
    expect(problemOf(restored)).toBe('missing-change at 0 src/b.ts');
    const same = verdictOf((input) => input, [[seed[0] as TestWrite]]);
    expect(problemOf(same)).toBe('missing-change at 0 src/a.ts');
    const undone = verdictOf((input) => withTree(input, [{ path: 'src/c.ts', entry: null }]));
    expect(problemOf(undone)).toBe('missing-change at 0 src/c.ts');
  });

  it('[VF2] stops wrong content, wrong modes, and a deletion that is none', () => {
    const wrong = (path: string, mode: Entry['mode']) => (input: CycleInput, repository: TrunkRepository) =>
      withTree(input, [{ path, entry: { mode, oid: repository.hashBlob(utf8('changed\n')) } }]);
    expect(problemOf(verdictOf(wrong('src/c.ts', '100755')))).toBe('wrong-entry at 0 src/c.ts');
    expect(problemOf(verdictOf(wrong('src/b.ts', '120000')))).toBe('wrong-mode at 0 src/b.ts');
    expect(problemOf(verdictOf(wrong('src/b.ts', '100755')))).toBe('wrong-mode at 0 src/b.ts');
    expect(problemOf(verdictOf(wrong('docs/readme.md', '100644')))).toBe('wrong-entry at 0 docs/readme.md');
  });

  it('[VF2] names the commit in question', () => {
    const honest = [[{ path: 'x', text: 'x\n' }], [{ path: 'y', text: 'y\n' }]];
    const verdict = verdictOf((input, repository) => {
      return withTree(input, [{ path: 'z', entry: { mode: '100644', oid: blobIn(input, repository) } }]);
    }, honest);
    expect(problemOf(verdict)).toBe('undeclared-change at 1 z');
  });

  it('[VF3] stops a blob that is not there', () => {
    const verdict = verdictOf((input) => ({ ...input, blobs: new Map([...input.blobs].slice(1)) }));
    expect(problemOf(verdict)).toBe('blob-missing at 0 src/b.ts');
    const lied = verdictOf((input) => ({
      ...input,
      blobs: new Map([...input.blobs].map(([oid]) => [oid, utf8('lie')])),
    }));
    expect(lied.ok).toBe(false);
  });

  it('[VF1] stops another parent, another tip, and commits too many or too few', () => {
    const older = verdictOf((input, repository) => {
      const parent = repository.readCommit(input.parent).parents[0] as Oid;
      return { ...input, parent };
    });
    expect(problemOf(older)).toBe('wrong-parent at 0');
    const doubled = verdictOf((input) => ({ ...input, commits: [...input.commits, ...input.commits] }));
    expect(problemOf(doubled)).toBe('commit-count at null');
    const { repository, prepared, declaration } = honestCycle([change, [{ path: 'x', text: 'x\n' }]]);
    const swapped = { ...prepared, commits: [...prepared.commits].reverse() };
    expect(problemOf(repository.verify(swapped, declaration))).toBe('wrong-parent at 0');
    const other = { ...prepared, tip: prepared.commits[0] as Oid };
    expect(problemOf(repository.verify(other, declaration))).toBe('tip-wrong at null');
  });

  it('[VF4] stops a lost, missing or foreign note, and notes that follow another commit', () => {
    const repository = seeded();
    const { input, declaration } = cycleOf(repository, [change]);
    const orphaned = repository.prepare({ ...input, notesParent: null });
    expect(problemOf(repository.verify(orphaned, declaration))).toBe('notes-parent at null');
    expect(problemOf(repository.verify(orphaned, { ...declaration, notesParent: null }))).toBe('ok');
    const honest = repository.prepare(input);
    const claimed = { ...declaration, notesParent: null };
    expect(problemOf(repository.verify(honest, claimed))).toBe('notes-parent at null');
  });

  it('[VF4] stops notes that were lost, changed, renamed or added unasked', () => {
    expect(problemOf(replacedNotes((notes) => notes))).toBe('ok');
    expect(problemOf(replacedNotes((notes, path) => notes.with([{ path, entry: null }])))).toBe('note-missing at 0');
    const old = (notes: Tree, path: string): string => [...notes.paths()].find((other) => other !== path) as string;
    const lost = replacedNotes((notes, path) => notes.with([{ path: old(notes, path), entry: null }]));
    expect(problemOf(lost)).toBe('notes-changed at null');
    const changed = replacedNotes((notes, path, entry) => notes.with([{ path: old(notes, path), entry }]));
    expect(problemOf(changed)).toBe('notes-changed at null');
    const added = replacedNotes((notes, _, entry) => notes.with([{ path: `ab/${'c'.repeat(38)}`, entry }]));
    expect(problemOf(added)).toBe('notes-changed at null');
    const executable = replacedNotes((notes, path, entry) =>
      notes.with([{ path, entry: { ...entry, mode: '100755' } }]),
    );
    expect(problemOf(executable)).toBe('notes-changed at null');
    const moved = replacedNotes((notes, path) => {
      const from = old(notes, path);
      const to = `${from.slice(0, 5)}/${from.slice(5)}`;
      return notes.with([
        { path: from, entry: null },
        { path: to, entry: notes.entry(from) },
      ]);
    });
    expect(problemOf(moved)).toBe('ok');
  });

  it('[VF5] answers damage anywhere in pack or index with a verdict', () => {
    const { repository, prepared, declaration } = honestCycle([change]);
    const kinds = new Set<string>();
    for (const part of ['pack', 'index'] as const) {
      // The checksums at the ends are git's to check: they are not part of what the cycle means.
      const end = prepared[part].length - (part === 'pack' ? 20 : 40);
      const sums = part === 'index' ? [1032 + prepared.objectCount * 20, 1032 + prepared.objectCount * 24] : [0, 0];
      for (let at = 0; at < end; at += 1) {
        if (at >= (sums[0] as number) && at < (sums[1] as number)) continue;
        const damaged = prepared[part].slice();
        damaged[at] = (damaged[at] as number) ^ 0x10;
        const verdict = repository.verify({ ...prepared, [part]: damaged }, declaration);
        expect(verdict.ok, `${part} at ${at}`).toBe(false);
        if (!verdict.ok) kinds.add(verdict.problem);
      }
      for (const length of [0, 10, 40, end]) {
        expect(repository.verify({ ...prepared, [part]: prepared[part].slice(0, length) }, declaration).ok).toBe(false);
      }
    }
    expect(kinds).toContain('pack-malformed');
    expect(kinds).toContain('index-wrong');
    expect(repository.verify(prepared, declaration)).toEqual({ ok: true });
  });
});

describe('verifyCycle on merges', () => {
  const theirs = 'one\ntwo\nthree\nfour\nFIVE\n';
  const tip = 'ONE\ntwo\nthree\nfour\nfive\n';
  const right = 'ONE\ntwo\nthree\nfour\nFIVE\n';
  const line = (at: number) => [{ beforeStart: at, beforeCount: 1, afterStart: at, afterCount: 1 }];

  /** Trunk has changed line one of src/a.ts; a proposal made before that changed line five; `result` is landed. */
  function mergeVerdict(
    result: string,
    change: (write: DeclaredWrite) => DeclaredWrite,
    mode: Entry['mode'] = '100644',
  ): Verdict {
    const repository = seeded();
    const entryOf = (text: string): Entry => ({ mode: '100644', oid: repository.hashBlob(utf8(text)) });
    const base = entryOf(seed[0]?.text ?? '');
    land(repository, [[{ path: 'src/a.ts', text: tip }]]);
    const { input, declaration } = cycleOf(repository, [[{ path: 'src/a.ts', text: result, mode }]]);
    const blobs = new Map([...input.blobs, [entryOf(theirs).oid, utf8(theirs)]]);
    const witness = { ours: line(0), theirs: line(4) };
    const write = {
      kind: 'merged',
      path: 'src/a.ts',
      base,
      ours: entryOf(tip),
      theirs: entryOf(theirs),
      witness,
      mode,
    } as const;
    const declared: CycleDeclaration = { ...declaration, commits: [{ writes: [change(write)] }] };
    return repository.verify(repository.prepare({ ...input, blobs }), declared);
  }

  const asIs = (write: DeclaredWrite): DeclaredWrite => write;
  const altered = (changes: object) => (write: DeclaredWrite) => ({ ...write, ...changes }) as DeclaredWrite;

  it('[VF2] accepts a merge that its witness proves', () => {
    expect(mergeVerdict(right, asIs)).toEqual({ ok: true });
  });

  it('[VF2] stops a merge that lost a side, has more, or is not proved', () => {
    const unproved = 'merge-not-proved at 0 src/a.ts';
    expect(problemOf(mergeVerdict(theirs, asIs))).toBe(unproved);
    expect(problemOf(mergeVerdict(`${right}six\n`, asIs))).toBe(unproved);
    expect(problemOf(mergeVerdict(right, altered({ witness: { ours: [], theirs: line(4) } })))).toBe(unproved);
    expect(problemOf(mergeVerdict(right, altered({ witness: { ours: line(0), theirs: line(3) } })))).toBe(unproved);
  });

  it('[VF2] stops a merge with something else than trunk has, and modes that do not follow', () => {
    const unproved = 'merge-not-proved at 0 src/a.ts';
    const other = { mode: '100644', oid: plainBlob(theirs) };
    expect(problemOf(mergeVerdict(right, altered({ ours: other })))).toBe(unproved);
    expect(problemOf(mergeVerdict(right, asIs, '100755'))).toBe(unproved);
    const executable = { mode: '100755', oid: plainBlob(theirs) };
    expect(problemOf(mergeVerdict(right, altered({ theirs: executable }), '100755'))).toBe('ok');
    expect(problemOf(mergeVerdict(right, altered({ theirs: executable })))).toBe(unproved);
    const gone = { mode: '100644', oid: '9'.repeat(40) };
    expect(problemOf(mergeVerdict(right, altered({ base: gone })))).toBe('blob-missing at 0 src/a.ts');
  });
});

function plainBlob(text: string): Oid {
  return makeTrunk(new MemoryDisk(), plainCodec).hashBlob(utf8(text));
}

function blobIn(input: CycleInput, repository: TrunkRepository): Oid {
  const oid = repository.hashBlob(utf8('changed\n'));
  return input.blobs.has(oid) ? oid : ([...input.blobs.keys()][0] as Oid);
}

function honestCycle(writes: readonly (readonly TestWrite[])[]): {
  repository: TrunkRepository;
  prepared: PreparedCycle;
  declaration: CycleDeclaration;
} {
  const repository = seeded();
  const { input, declaration } = cycleOf(repository, writes);
  const prepared = repository.prepare(input);
  return { repository, prepared, declaration };
}

/** An honest cycle in every part but its notes tree, which is edited. */
function replacedNotes(edit: (notes: Tree, path: string, entry: Entry) => Tree): Verdict {
  const repository = seeded();
  const { input, declaration } = cycleOf(repository, [change]);
  const { timeSeconds, notesParent } = input;
  const person = { author: tester, committer: tester, timeSeconds };
  const builder = new CycleBuilder(plainCodec);
  builder.begin();
  builder.addBlobs(input.blobs);
  const tree = builder.addTree((input.commits[0] as CycleCommit).tree);
  const tip = builder.addText('commit', commitText({ ...person, tree, parents: [input.parent], message: 'Change\n' }));
  const entry: Entry = { mode: '100644', oid: builder.addText('blob', 'note\n') };
  const path = `${tip.slice(0, 2)}/${tip.slice(2)}`;
  const honest = repository.commitTree(notesParent as Oid).with([{ path, entry }]);
  const notes = builder.addTree(edit(honest, path, entry));
  const parents = [notesParent as Oid];
  const notesTip = builder.addText('commit', commitText({ ...person, tree: notes, parents, message: 'Notes\n' }));
  const { pack, index } = builder.finish().pack;
  const sources = { sha1: plainCodec.sha1, read: (oid: Oid) => storeOf(repository, oid) };
  return verifyCycle({ pack, index, commits: [tip], tip, notesTip }, declaration, sources);
}

function storeOf(repository: TrunkRepository, oid: Oid): SeenObject | null {
  return new ObjectStore(diskOf.get(repository) as MemoryDisk, plainCodec, '/data/trunk.git/objects').read(oid);
}
