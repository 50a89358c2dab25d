// A landing cycle killed between any two of its steps, on a real disk: opened again, recovered, checked by stock git.

import { readdirSync } from 'node:fs';
import { type Disk, DiskError, intentionOf, TrunkRepository } from '@firetrident/trunk';
import { describe, expect, it } from 'vitest';
import { nodeCodec } from './codec.ts';
import { NodeDisk } from './disk.ts';
import { GitSandbox, landTexts, textCycle } from './git-sandbox.fixture.ts';

class Killed extends Error {}

const changing: readonly (keyof Disk)[] = [
  'write',
  'createExclusive',
  'link',
  'sync',
  'syncDirectory',
  'syncAll',
  'rename',
  'remove',
  'makeDirectory',
];

function packFiles(sandbox: GitSandbox): string[] {
  return readdirSync(sandbox.path('trunk.git/objects/pack')).sort();
}

/** The real disk, until the operation with the given number: there the process is gone. */
function diskKilledAt(operation: number): { disk: Disk; steps: string[] } {
  const steps: string[] = [];
  const disk = new NodeDisk();
  const watched = new Proxy(disk, {
    get(target, name) {
      // Without work ahead every step is a call of its own.
      if (name === 'begin') return undefined;
      const method = Reflect.get(target, name).bind(target);
      if (!changing.includes(name as keyof Disk)) return method;
      return (...args: unknown[]) => {
        if (steps.length + 1 === operation) throw new Killed();
        const paths = name === 'syncAll' ? args.flat() : args.slice(0, 1);
        steps.push(`${String(name)} ${paths.map((path) => String(path).replace(/^.*trunk\.git\//, '')).join(' ')}`);
        return method(...args);
      };
    },
  });
  return { disk: watched, steps };
}

/** Lands one cycle, then a second one up to the operation with this number; recovers and checks. */
function killAt(operation: number): { finished: boolean; ended: boolean; steps: string[] } {
  using sandbox = new GitSandbox();
  const first = landTexts(sandbox.trunk(), { a: 'a\n', 'src/b': 'b\n' });
  const { disk, steps } = diskKilledAt(operation);
  const doomed = TrunkRepository.open(disk, nodeCodec, { directory: sandbox.path('trunk.git') });
  const prepared = doomed.prepare(textCycle(doomed, { a: 'changed\n', 'src/c': 'c\n' }).input);
  const intention = intentionOf(prepared);
  let ended = true;
  try {
    doomed.writePack(prepared);
    doomed.moveRefs(prepared);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    ended = false;
  }
  const repository = sandbox.open();
  const recovery = repository.recoverCycle(intention);
  const finished = recovery.kind === 'finished';
  expect(recovery).toEqual({
    kind: finished ? 'finished' : 'rolled-back',
    tip: finished ? intention.newTip : first.tip,
  });
  expect(repository.removeLeftovers()).toEqual([]);
  expect(repository.notesTip()).toBe(finished ? intention.newNotes : first.notesTip);
  landTexts(repository, { 'src/d': 'd\n' });
  sandbox.fsck();
  const inTrunk = ['--git-dir', 'trunk.git'];
  expect(sandbox.git([...inTrunk, 'show', 'main:a'])).toBe(finished ? 'changed' : 'a');
  const commits = sandbox
    .git([...inTrunk, 'rev-list', 'main'])
    .split('\n')
    .slice(0, -1)
    .sort();
  const noted = sandbox.git([...inTrunk, 'notes', '--ref', 'firetrident', 'list']).split('\n');
  expect(noted.map((line) => line.slice(41)).sort()).toEqual(commits);
  return { finished, ended, steps };
}

describe('a cycle that is written ahead', () => {
  it('[CW1] leaves nothing when it is given up, and lands when it is wanted', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    landTexts(repository, { a: 'a\n' });
    const before = packFiles(sandbox);
    for (let round = 0; round < 5; round += 1) repository.prepare(textCycle(repository, { b: `b ${round}\n` }).input);
    const prepared = repository.prepare(textCycle(repository, { b: 'b\n' }).input);
    repository.writePack(prepared);
    const name = `pack-${prepared.packName}`;
    expect(packFiles(sandbox)).toEqual([...before, `${name}.idx`, `${name}.pack`].sort());
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'done' });
    repository.prepare(textCycle(repository, { c: 'c\n' }).input);
    expect(repository.removeLeftovers()).toEqual([]);
    expect(packFiles(sandbox).length).toBe(before.length + 2);
    sandbox.fsck();
  });

  it('[CW1] lands after it was altered, whatever had been begun for it', () => {
    using sandbox = new GitSandbox();
    const repository = sandbox.trunk();
    landTexts(repository, { a: 'a\n' });
    const prepared = repository.prepare(textCycle(repository, { b: 'b\n' }).input);
    repository.writePack({ ...prepared });
    expect(repository.moveRefs(prepared)).toEqual({ kind: 'done' });
    landTexts(repository, { c: 'c\n' });
    sandbox.fsck();
    expect(sandbox.git(['--git-dir', 'trunk.git', 'show', 'main:b'])).toBe('b');
  });

  it('[CW1] tells a failure of the disk when it is written, not before', () => {
    using sandbox = new GitSandbox();
    sandbox.trunk();
    const real = new NodeDisk();
    const failing = new Proxy(real, {
      get(target, name) {
        const method = Reflect.get(target, name).bind(target);
        if (name !== 'begin') return method;
        return () => () => {
          throw new DiskError('full', 'write', 'somewhere', 'no space');
        };
      },
    });
    const repository = TrunkRepository.open(failing, nodeCodec, { directory: sandbox.path('trunk.git') });
    const prepared = repository.prepare(textCycle(repository, { b: 'b\n' }).input);
    expect(() => repository.writePack(prepared)).toThrow(expect.objectContaining({ kind: 'full' }));
    landTexts(sandbox.open(), { c: 'c\n' });
    sandbox.fsck();
  });
});

describe('kill between steps', () => {
  const { steps } = killAt(Number.POSITIVE_INFINITY);
  const numberOf = (step: RegExp): number => {
    const index = steps.findIndex((text) => step.test(text));
    if (index < 0) throw new Error(`no step ${step}`);
    return index + 1;
  };

  it.each([
    ['before the pack', /^write objects\/pack\/tmp_firetrident_pack/, false],
    ['between pack and index', /^write objects\/pack\/tmp_firetrident_idx/, false],
    ['before the index has its name', /^rename objects\/pack\/tmp_firetrident_idx/, false],
    ['between pack and notes ref', /^link firetrident\/ref-refs%2Fnotes/, false],
    ['with both locks held', /^rename refs\/notes\/firetrident\.lock$/, false],
    ['between notes ref and trunk ref', /^rename refs\/heads\/main\.lock$/, false],
    ['after the trunk ref', /^syncAll refs\/notes refs\/heads$/, true],
  ] as const)('[RC1] [RC3] %s', (_, step, finished) => {
    expect(killAt(numberOf(step)).finished).toBe(finished);
  });

  it('[RC1] [RC3] at every step there is, with one commit point', () => {
    const outcomes = steps.map((_, index) => killAt(index + 1));
    expect(outcomes.every(({ ended }) => !ended)).toBe(true);
    const point = outcomes.findIndex(({ finished }) => finished);
    expect(point).toBe(numberOf(/^rename refs\/heads\/main\.lock$/));
    expect(outcomes.slice(point).every(({ finished }) => finished)).toBe(true);
  });

  it('[PF1] syncs pack and index before they get their names, and the names before any ref moves', () => {
    const order = [
      /^syncAll objects\/pack\/tmp_firetrident_pack_\w+ objects\/pack\/tmp_firetrident_idx_\w+ firetrident\/ref-\S+notes\S+ firetrident\/ref-\S+main\.\w+$/,
      /^rename objects\/pack\/tmp_firetrident_pack/,
      /^rename objects\/pack\/tmp_firetrident_idx/,
      /^syncAll objects\/pack$/,
      /^rename refs\/notes\/firetrident\.lock$/,
      /^rename refs\/heads\/main\.lock$/,
      /^syncAll refs\/notes refs\/heads$/,
    ].map(numberOf);
    expect(order).toEqual([...order].sort((left, right) => left - right));
  });
});
