// The contract of the Disk port as a test suite, for every implementation of it.

import { utf8, utf8Text } from '@firetrident/base';
import { type Disk, DiskError, type DiskStep } from './disk.ts';

/** The functions of a test runner that the suite needs. */
export interface ContractRunner {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => void) => void;
  /** Fails the running test unless both are equal in depth. */
  readonly equal: (actual: unknown, expected: unknown) => void;
}

function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : utf8Text(bytes);
}

function kindOf(action: () => void): string {
  try {
    action();
  } catch (error) {
    return error instanceof DiskError ? error.kind : 'not a DiskError';
  }
  return 'no error';
}

/** Declares the suite. `make` gives an empty disk and a directory on it in which files can be made. */
export function diskContract(name: string, runner: ContractRunner, make: () => { disk: Disk; root: string }): void {
  const { describe, it } = runner;
  describe(`Disk contract: ${name}`, () => {
    it('[DK1] reads back what was written, whole, in part and by size', () => readsBack(runner, make()));
    it('[DK3] renames over an existing file', () => renamesOver(runner, make()));
    it('[DK4] createExclusive and link never replace', () => neverReplaces(runner, make()));
    it('[DK2] [DK6] lists names sorted, makes and syncs directories', () => listsDirectories(runner, make()));
    it('[DK7] does steps that were begun in their order, up to a failure', () => worksAhead(runner, make()));
    it('[DK5] absence is a value and failures are DiskErrors', () => failsByKind(runner, make()));
  });
}

function readsBack({ equal }: ContractRunner, { disk, root }: { disk: Disk; root: string }): void {
  const path = `${root}/file`;
  const bytes = utf8('0123456789');
  disk.write(path, bytes);
  bytes.fill(0);
  equal(text(disk.read(path)), '0123456789');
  equal(text(disk.readRange(path, 3, 4)), '3456');
  equal(text(disk.readRange(path, 8, 10)), '89');
  equal(text(disk.readRange(path, 20, 10)), '');
  const target = new Uint8Array(4);
  equal(disk.readInto(path, 3, target), 4);
  equal(text(target), '3456');
  equal(disk.readInto(path, 8, target), 2);
  equal(text(target), '8956');
  equal(disk.readInto(path, 20, target), 0);
  equal(disk.size(path), 10);
  disk.write(path, utf8('short'));
  disk.sync(path);
  equal(text(disk.read(path)), 'short');
  disk.write(path, new Uint8Array(0));
  equal(disk.size(path), 0);
  disk.append(path, utf8('first,'));
  disk.append(path, utf8('second'));
  equal(text(disk.read(path)), 'first,second');
  disk.append(`${root}/appended`, utf8('alone'));
  equal(text(disk.read(`${root}/appended`)), 'alone');
}

function renamesOver({ equal }: ContractRunner, { disk, root }: { disk: Disk; root: string }): void {
  disk.write(`${root}/old`, utf8('old'));
  disk.write(`${root}/next`, utf8('next'));
  disk.rename(`${root}/next`, `${root}/old`);
  disk.syncDirectory(root);
  equal(text(disk.read(`${root}/old`)), 'next');
  equal(disk.read(`${root}/next`), null);
  equal(
    kindOf(() => disk.rename(`${root}/missing`, `${root}/old`)),
    'other',
  );
}

function neverReplaces({ equal }: ContractRunner, { disk, root }: { disk: Disk; root: string }): void {
  equal(disk.createExclusive(`${root}/lock`, utf8('first')), true);
  equal(disk.createExclusive(`${root}/lock`, utf8('second')), false);
  equal(text(disk.read(`${root}/lock`)), 'first');
  disk.write(`${root}/source`, utf8('third'));
  equal(disk.link(`${root}/source`, `${root}/lock`), false);
  disk.remove(`${root}/lock`);
  equal(disk.link(`${root}/source`, `${root}/lock`), true);
  equal(text(disk.read(`${root}/lock`)), 'third');
  disk.remove(`${root}/source`);
  equal(text(disk.read(`${root}/lock`)), 'third');
}

function listsDirectories({ equal }: ContractRunner, { disk, root }: { disk: Disk; root: string }): void {
  equal(disk.list(`${root}/a`), []);
  disk.makeDirectory(`${root}/a/b/c`);
  disk.makeDirectory(`${root}/a/b`);
  disk.write(`${root}/a/z`, utf8('z'));
  disk.write(`${root}/a/B`, utf8('B'));
  disk.write(`${root}/a/b/inner`, utf8('i'));
  disk.syncDirectory(`${root}/a`);
  disk.syncAll([`${root}/a/z`, `${root}/a/B`], [`${root}/a`, `${root}/a/b`]);
  disk.syncAll([], []);
  equal(disk.list(`${root}/a`), ['B', 'b', 'z']);
  equal(disk.list(`${root}/a/b`), ['c', 'inner']);
  disk.remove(`${root}/a/z`);
  equal(disk.list(`${root}/a`), ['B', 'b']);
}

function worksAhead({ equal }: ContractRunner, { disk, root }: { disk: Disk; root: string }): void {
  if (!disk.begin) return;
  disk.write(`${root}/one`, utf8('1'));
  disk.write(`${root}/two`, utf8('2'));
  const steps: DiskStep[] = [
    { kind: 'sync', files: [`${root}/one`, `${root}/two`], directories: [] },
    { kind: 'rename', from: `${root}/one`, to: `${root}/first` },
    { kind: 'sync', files: [], directories: [root] },
  ];
  const wait = disk.begin(steps);
  wait();
  wait();
  equal(disk.list(root), ['first', 'two']);
  // What lies there may have a second name, which keeps its content (DK8).
  disk.write(`${root}/old`, utf8('old'));
  disk.link(`${root}/old`, `${root}/second name`);
  disk.begin([
    { kind: 'write', path: `${root}/old`, bytes: utf8('it') },
    { kind: 'write', path: `${root}/fresh`, bytes: utf8('fresh') },
    { kind: 'write', path: `${root}/large`, bytes: new Uint8Array(200_000).fill(7) },
    { kind: 'write', path: `${root}/after`, bytes: utf8('after') },
  ])();
  equal(disk.read(`${root}/after`), utf8('after'));
  equal(disk.read(`${root}/old`), utf8('it'));
  equal(disk.read(`${root}/second name`), utf8('old'));
  equal(disk.read(`${root}/fresh`), utf8('fresh'));
  equal(disk.read(`${root}/large`), new Uint8Array(200_000).fill(7));
  const left = ['old', 'second name', 'fresh', 'large', 'after', 'never there'];
  disk.begin(left.map((name) => ({ kind: 'remove', path: `${root}/${name}` })))();
  equal(kindOf(disk.begin([{ kind: 'write', path: `${root}/none/there`, bytes: utf8('x') }])), 'other');
  const stopped = disk.begin([
    { kind: 'rename', from: `${root}/none`, to: `${root}/second` },
    { kind: 'rename', from: `${root}/two`, to: `${root}/third` },
  ]);
  equal(kindOf(stopped), 'other');
  equal(disk.list(root), ['first', 'two']);
  // What was begun and not waited for yet is done before what is begun next.
  disk.begin([{ kind: 'rename', from: `${root}/two`, to: `${root}/third` }]);
  disk.begin([{ kind: 'rename', from: `${root}/first`, to: `${root}/fourth` }])();
  equal(disk.list(root).includes('fourth'), true);
}

function failsByKind({ equal }: ContractRunner, { disk, root }: { disk: Disk; root: string }): void {
  equal(disk.read(`${root}/none`), null);
  equal(disk.readRange(`${root}/none`, 0, 1), null);
  equal(disk.readInto(`${root}/none`, 0, new Uint8Array(1)), null);
  equal(disk.size(`${root}/none`), null);
  equal(disk.read(`${root}/none/deeper`), null);
  equal(disk.read(root), null);
  equal(disk.size(root), null);
  disk.remove(`${root}/none`);
  disk.remove(`${root}/none/deeper`);
  equal(
    kindOf(() => disk.write(`${root}/none/file`, utf8('x'))),
    'other',
  );
  equal(
    kindOf(() => disk.sync(`${root}/none`)),
    'other',
  );
  equal(
    kindOf(() => disk.syncDirectory(`${root}/none`)),
    'other',
  );
  disk.write(`${root}/there`, utf8('x'));
  equal(
    kindOf(() => disk.syncAll([`${root}/there`, `${root}/none`], [root])),
    'other',
  );
  equal(
    kindOf(() => disk.syncAll([`${root}/there`], [root, `${root}/none`])),
    'other',
  );
  disk.write(`${root}/file`, utf8('x'));
  equal(
    kindOf(() => disk.makeDirectory(`${root}/file/below`)),
    'other',
  );
}
