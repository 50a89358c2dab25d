// A small trunk and ways to land on it, for tests: content is text, the blob follows from it.

import { type Oid, type TreePath, utf8 } from '@firetrident/base';
import type { ObjectCodec } from './codec.ts';
import type { Disk } from './disk.ts';
import { MemoryDisk } from './memory-disk.ts';
import type { CycleDeclaration, CycleInput, DeclaredWrite, Entry, Mode, PreparedCycle } from './model.ts';
import { plainCodec } from './plain-codec.ts';
import { TrunkRepository } from './repository.ts';

/** Who lands in tests. */
export const tester = { name: 'Tester', email: 'tester@example.invalid' };
export const startSeconds = 1_700_000_000;

/** One write: text, or null to delete. */
export interface TestWrite {
  readonly path: TreePath;
  readonly text: string | null;
  readonly mode?: Mode;
}

/** A cycle as the repository wants it, with the declaration that fits. */
export interface TestCycle {
  readonly input: CycleInput;
  readonly declaration: CycleDeclaration;
}

/** An empty trunk in `/data/trunk.git`. */
export function makeTrunk(disk: Disk, codec: ObjectCodec = plainCodec): TrunkRepository {
  disk.makeDirectory('/data');
  disk.syncDirectory('/');
  const options = { directory: '/data/trunk.git', branch: 'main', committer: tester, timeSeconds: startSeconds };
  return TrunkRepository.create(disk, codec, options);
}

/** A cycle on the trunk's tip: one commit per list of writes. */
export function cycleOf(repository: TrunkRepository, commits: readonly (readonly TestWrite[])[]): TestCycle {
  const parent = repository.tip();
  const notesParent = repository.notesTip();
  const blobs = new Map<Oid, Uint8Array>();
  const built: CycleInput['commits'][number][] = [];
  const declared: { writes: DeclaredWrite[] }[] = [];
  let tree = repository.commitTree(parent);
  for (const [index, writes] of commits.entries()) {
    const changes = writes.map(({ path, text, mode }): { path: TreePath; entry: Entry | null } => {
      if (text === null) return { path, entry: null };
      const bytes = utf8(text);
      const oid = repository.hashBlob(bytes);
      blobs.set(oid, bytes);
      return { path, entry: { mode: mode ?? '100644', oid } };
    });
    tree = tree.with(changes);
    const note = (commit: Oid): string => `{"commit":"${commit}"}\n`;
    built.push({ tree, message: `Change ${index}\n`, author: tester, committer: tester, note });
    declared.push({ writes: changes.map((change) => ({ kind: 'proposed', ...change })) });
  }
  const timeSeconds = startSeconds + 60;
  return {
    input: { parent, notesParent, commits: built, blobs, timeSeconds },
    declaration: { parent, notesParent, commits: declared },
  };
}

/** Lands a cycle by all steps; throws when any of them refuses. */
export function land(repository: TrunkRepository, commits: readonly (readonly TestWrite[])[]): PreparedCycle {
  const { input, declaration } = cycleOf(repository, commits);
  const prepared = repository.prepare(input);
  const verdict = repository.verify(prepared, declaration);
  if (!verdict.ok) throw new Error(verdict.detail);
  repository.writePack(prepared);
  const outcome = repository.moveRefs(prepared);
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  return prepared;
}

/** Every object that trunk, notes and preserved refs reach is there and readable; throws otherwise. */
export function checkReachable(repository: TrunkRepository): { readonly commits: number; readonly notes: number } {
  let commits = 0;
  const checkTree = (commit: Oid): number => {
    const tree = repository.commitTree(commit);
    let files = 0;
    for (const path of tree.paths()) {
      const entry = tree.entry(path);
      files += 1;
      if (!entry || (entry.mode !== '160000' && !repository.readBlob(entry.oid))) throw new Error(`${path} is lost`);
    }
    return files;
  };
  for (let commit: Oid | undefined = repository.tip(); commit; commit = repository.readCommit(commit).parents[0]) {
    checkTree(commit);
    commits += 1;
  }
  const notesTip = repository.notesTip();
  return { commits, notes: notesTip === null ? 0 : checkTree(notesTip) };
}

/** A disk on which everything is as it is now, as after a kill. */
export function copyOf(disk: MemoryDisk, from = ''): MemoryDisk {
  const copy = new MemoryDisk();
  const walk = (folder: string): void => {
    for (const name of disk.list(folder === '' ? '/' : folder)) {
      const path = `${folder}/${name}`;
      const bytes = disk.read(path);
      if (bytes) copy.write(path, bytes);
      else {
        copy.makeDirectory(path);
        walk(path);
      }
    }
  };
  walk(from);
  return copy;
}
