// A cycle cut off at every step: by a kill, which keeps what was written, and by a power cut, which keeps what was synced.

import { RandomStream, utf8 } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import { FaultyDisk, PowerCut } from './faulty-disk.ts';
import { checkReachable, copyOf, cycleOf, land, makeTrunk, startSeconds, tester } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import type { CycleIntention, Recovery } from './model.ts';
import { plainCodec } from './plain-codec.ts';
import { intentionOf, TrunkRepository } from './repository.ts';

const writes = (name: string) => [
  [{ path: `src/${name}.ts`, text: `export const ${name} = 1;\n` }],
  [{ path: `docs/${name}.md`, text: `# ${name}\n` }],
];

interface Stopped {
  readonly disk: FaultyDisk;
  readonly intention: CycleIntention;
  /** The cut came: the cycle did not run to its end. */
  readonly cut: boolean;
}

/** Lands one cycle in full, then runs a second one until the operation with the given number. */
function stopAt(operation: number): Stopped {
  const disk = new FaultyDisk();
  const repository = makeTrunk(disk);
  land(repository, writes('first'));
  const prepared = repository.prepare(cycleOf(repository, writes('second')).input);
  const intention = intentionOf(prepared);
  disk.cutPowerAt(disk.operations + operation);
  try {
    repository.writePack(prepared);
    repository.moveRefs(prepared);
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
    return { disk, intention, cut: true };
  }
  return { disk, intention, cut: false };
}

function operationsOfACycle(): number {
  let operation = 1;
  while (stopAt(operation).cut) operation += 1;
  return operation - 1;
}

/** Opens, recovers, and checks that one of the two states is there in full, and that landing goes on. */
function recoverAndCheck(disk: Disk, intention: CycleIntention): Recovery['kind'] {
  const open = (): TrunkRepository => TrunkRepository.open(disk, plainCodec, { directory: '/data/trunk.git' });
  const recovery = open().recoverCycle(intention);
  const repository = open();
  // [RC1] Once more changes nothing.
  expect(repository.recoverCycle(intention)).toEqual(recovery);
  expect(repository.removeLeftovers()).toEqual([]);
  const landed = recovery.kind === 'finished';
  expect(repository.tip()).toBe(landed ? intention.newTip : intention.oldTip);
  expect(repository.notesTip()).toBe(landed ? intention.newNotes : intention.oldNotes);
  expect(checkReachable(repository)).toEqual({ commits: landed ? 5 : 3, notes: landed ? 4 : 2 });
  land(repository, writes('third'));
  expect(checkReachable(repository).commits).toBe(landed ? 7 : 5);
  return recovery.kind;
}

describe('a cycle that was cut off', () => {
  const operations = operationsOfACycle();

  it('[RC1] [RC3] is undone or finished after a kill at every step', () => {
    const kinds: string[] = [];
    for (let operation = 1; operation <= operations + 1; operation += 1) {
      const { disk, intention } = stopAt(operation);
      kinds.push(recoverAndCheck(copyOf(disk), intention));
    }
    // There is one commit point: before it everything is undone, after it everything is finished.
    const point = kinds.indexOf('finished');
    expect(point).toBeGreaterThan(operations / 2);
    expect(kinds).toEqual(kinds.map((_, index) => (index < point ? 'rolled-back' : 'finished')));
  });

  it('[RC1] [RC3] is undone or finished after a power cut at every step, whatever was lost or reordered', () => {
    const seen = { 'rolled-back': 0, finished: 0, foreign: 0 };
    for (let operation = 1; operation <= operations + 1; operation += 1) {
      const { disk, intention, cut } = stopAt(operation);
      for (let seed = 0; seed < 20; seed += 1) {
        const kind = recoverAndCheck(disk.afterPowerCut(new RandomStream(seed)), intention);
        seen[kind] += 1;
        // What was acknowledged is never lost.
        if (!cut) expect(kind).toBe('finished');
      }
    }
    expect(seen.finished).toBeGreaterThan(20);
    expect(seen['rolled-back']).toBeGreaterThan(200);
    expect(seen.foreign).toBe(0);
  });

  it('[RC1] survives a second cut during recovery', () => {
    for (let operation = 1; operation <= operations; operation += 3) {
      for (let seed = 0; seed < 6; seed += 1) {
        const { disk, intention } = stopAt(operation);
        const random = new RandomStream(seed);
        const again = disk.afterPowerCut(random);
        again.cutPowerAt(1 + random.below(6));
        try {
          TrunkRepository.open(again, plainCodec, { directory: '/data/trunk.git' }).recoverCycle(intention);
        } catch (error) {
          if (!(error instanceof PowerCut)) throw error;
        }
        recoverAndCheck(again.afterPowerCut(random), intention);
      }
    }
  });

  it('[CW1] leaves the old state when the power goes while its pack is begun', () => {
    // Eight operations write two pack files and two staged refs anew, four make them durable, three give the names.
    for (let operation = 1; operation <= 15; operation += 1) {
      const disk = new FaultyDisk();
      const repository = makeTrunk(disk);
      const first = land(repository, writes('first'));
      const { input } = cycleOf(repository, writes('second'));
      disk.cutPowerAt(disk.operations + operation);
      expect(() => repository.writePack(repository.prepare(input))).toThrow(PowerCut);
      for (let seed = 0; seed < 10; seed += 1) {
        const survivor = disk.afterPowerCut(new RandomStream(seed));
        const opened = TrunkRepository.open(survivor, plainCodec, { directory: '/data/trunk.git' });
        opened.removeLeftovers();
        expect([opened.tip(), opened.notesTip()]).toEqual([first.tip, first.notesTip]);
        land(opened, writes('third'));
        expect(checkReachable(opened)).toEqual({ commits: 5, notes: 4 });
      }
    }
  });

  it('[CW3] leaves the last landed state when the power goes at any step of a third cycle', () => {
    for (let operation = 1, cut = true; cut; operation += 1) {
      const disk = new FaultyDisk();
      const repository = makeTrunk(disk);
      land(repository, writes('first'));
      const second = land(repository, writes('second'));
      const { input } = cycleOf(repository, writes('third'));
      disk.cutPowerAt(disk.operations + operation);
      cut = false;
      try {
        repository.prepare(input);
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
        cut = true;
      }
      // What the second cycle replaced is taken away by now at the latest, and nothing else is touched.
      if (!cut) expect(operation).toBe(3);
      for (let seed = 0; seed < 10; seed += 1) {
        const survivor = disk.afterPowerCut(new RandomStream(seed));
        const opened = TrunkRepository.open(survivor, plainCodec, { directory: '/data/trunk.git' });
        opened.removeLeftovers();
        expect(survivor.list('/data/trunk.git/firetrident')).toEqual([]);
        expect([opened.tip(), opened.notesTip()]).toEqual([second.tip, second.notesTip]);
        land(opened, writes('fourth'));
        expect(checkReachable(opened)).toEqual({ commits: 7, notes: 6 });
      }
    }
  });

  it('[CW3] keeps at most two second names of each ref, of what it is and was, however many cycles land', () => {
    const disk = new FaultyDisk();
    const repository = makeTrunk(disk);
    const landed = ['one', 'two', 'three', 'four', 'five'].map((name) => land(repository, writes(name)));
    const names = disk.list('/data/trunk.git/firetrident');
    const kept = landed.slice(-2).flatMap(({ tip, notesTip }) => [tip, notesTip]);
    expect(names.map((name) => name.slice(-40)).sort()).toEqual(kept.sort());
    repository.removeLeftovers();
    expect(disk.list('/data/trunk.git/firetrident')).toEqual([]);
    expect(repository.tip()).toBe(landed.at(-1)?.tip);
  });

  it('[RC4] stays as recovery said when a power cut follows a kill', () => {
    for (let operation = 1; operation <= operations; operation += 1) {
      const { disk, intention } = stopAt(operation);
      // Only the process is gone: the disk goes on, with everything that nobody synced.
      disk.cutPowerAt(Number.POSITIVE_INFINITY);
      const open = (on: Disk): TrunkRepository =>
        TrunkRepository.open(on, plainCodec, { directory: '/data/trunk.git' });
      const { kind, tip } = open(disk).recoverCycle(intention);
      for (let seed = 0; seed < 10; seed += 1) {
        const repository = open(disk.afterPowerCut(new RandomStream(seed)));
        expect(repository.recoverCycle(intention)).toEqual({ kind, tip });
        expect(repository.notesTip()).toBe(kind === 'finished' ? intention.newNotes : intention.oldNotes);
        checkReachable(repository);
      }
    }
  });

  it('makes a move by others durable before it is told', () => {
    const disk = new FaultyDisk();
    const repository = makeTrunk(disk);
    const { tip, oldTip } = land(repository, writes('first'));
    // Someone moves trunk and syncs nothing.
    disk.write('/data/trunk.git/refs/heads/main.lock', utf8(`${oldTip}\n`));
    disk.rename('/data/trunk.git/refs/heads/main.lock', '/data/trunk.git/refs/heads/main');
    expect(repository.detectForeign(tip)).toEqual({ kind: 'rewound', tip: oldTip });
    for (let seed = 0; seed < 20; seed += 1) {
      const survivor = disk.afterPowerCut(new RandomStream(seed));
      expect(TrunkRepository.open(survivor, plainCodec, { directory: '/data/trunk.git' }).tip()).toBe(oldTip);
    }
  });

  it('[RF4] leaves no lock behind that a power cut could bring back', () => {
    const disk = new FaultyDisk();
    const repository = makeTrunk(disk);
    land(repository, writes('first'));
    const prepared = repository.prepare(cycleOf(repository, writes('second')).input);
    repository.writePack(prepared);
    land(TrunkRepository.open(disk, plainCodec, { directory: '/data/trunk.git' }), writes('other'));
    expect(repository.moveRefs(prepared).kind).toBe('moved');
    for (let seed = 0; seed < 30; seed += 1) {
      const survivor = disk.afterPowerCut(new RandomStream(seed));
      land(TrunkRepository.open(survivor, plainCodec, { directory: '/data/trunk.git' }), writes('third'));
    }
  });

  it('[RC2] leaves the lock of another program alone, and says so when it is in the way', () => {
    for (const content of ['', `${'5'.repeat(40)}\n`]) {
      const { disk, intention } = stopAt(1);
      const killed = copyOf(disk);
      const lock = '/data/trunk.git/refs/heads/main.lock';
      killed.write(lock, utf8(content));
      const repository = TrunkRepository.open(killed, plainCodec, { directory: '/data/trunk.git' });
      expect(repository.recoverCycle(intention)).toEqual({ kind: 'rolled-back', tip: intention.oldTip });
      expect(killed.read(lock)).toEqual(utf8(content));
      const prepared = repository.prepare(cycleOf(repository, writes('third')).input);
      repository.writePack(prepared);
      expect(repository.moveRefs(prepared)).toEqual({ kind: 'locked', ref: 'refs/heads/main' });
    }
  });

  it('[RC3] does not land, and puts its notes back, when someone else moved trunk meanwhile', () => {
    const disk = new MemoryDisk();
    const repository = makeTrunk(disk);
    land(repository, writes('first'));
    const intention = intentionOf(repository.prepare(cycleOf(repository, writes('second')).input));
    const other = land(repository, writes('foreign'));
    expect(repository.recoverCycle(intention)).toEqual({ kind: 'foreign', tip: other.tip });
    expect(repository.notesTip()).toBe(other.notesTip);
  });

  it('[RC3] is finished when others already built on it', () => {
    const disk = new MemoryDisk();
    const repository = makeTrunk(disk);
    const intention = intentionOf(land(repository, writes('first')));
    const { tip } = land(repository, writes('foreign'));
    expect(repository.recoverCycle(intention)).toEqual({ kind: 'finished', tip });
  });
});

describe('making and keeping', () => {
  it('[LY1] a repository whose making was cut off cannot be opened, and can be made again', () => {
    let complete = 0;
    for (let operation = 3; ; operation += 1) {
      const disk = new FaultyDisk();
      disk.cutPowerAt(operation);
      let cut = false;
      try {
        makeTrunk(disk);
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
        cut = true;
      }
      for (let seed = 0; seed < 5; seed += 1) {
        const survivor = disk.afterPowerCut(new RandomStream(seed));
        let repository: TrunkRepository;
        try {
          repository = TrunkRepository.open(survivor, plainCodec, { directory: '/data/trunk.git' });
          complete += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(TrunkError);
          expect(cut).toBe(true);
          repository = makeTrunk(survivor);
        }
        land(repository, writes('first'));
        expect(checkReachable(repository)).toEqual({ commits: 3, notes: 2 });
      }
      if (!cut) break;
    }
    expect(complete).toBeGreaterThan(0);
  });

  it('keeps preserved work over a power cut as soon as it is said to be kept', () => {
    const disk = new FaultyDisk();
    const repository = makeTrunk(disk);
    land(repository, writes('first'));
    const { input } = cycleOf(repository, [[{ path: 'lost/work.ts', text: 'never landed\n' }]]);
    const tree = input.commits[0]?.tree;
    if (!tree) throw new Error('the cycle has a commit');
    const kept = repository.preserve({
      id: 'prs_1',
      base: repository.tip(),
      tree,
      message: 'Work of agt_1\n',
      author: tester,
      committer: tester,
      blobs: input.blobs,
      timeSeconds: startSeconds,
    });
    expect(kept.outcome).toEqual({ kind: 'done' });
    for (let seed = 0; seed < 20; seed += 1) {
      const survivor = disk.afterPowerCut(new RandomStream(seed));
      const opened = TrunkRepository.open(survivor, plainCodec, { directory: '/data/trunk.git' });
      expect(opened.readRef(kept.ref)).toBe(kept.commit);
      const entry = opened.commitTree(kept.commit).entry('lost/work.ts');
      expect(entry && new TextDecoder().decode(opened.readBlob(entry.oid) ?? undefined)).toBe('never landed\n');
      expect(opened.readCommit(kept.commit).parents).toEqual([repository.tip()]);
      expect(opened.listRefs('refs/firetrident/')).toEqual([{ name: kept.ref, oid: kept.commit }]);
    }
  });
});
