// Joining packs on disks in memory: everything stays, whatever cuts it off.

import { RandomStream } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import type { Disk } from './disk.ts';
import { FaultyDisk, PowerCut } from './faulty-disk.ts';
import { checkReachable, copyOf, land, makeTrunk } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import { type JoinOutcome, joinPacks } from './pack-join.ts';
import { plainCodec } from './plain-codec.ts';
import { TrunkRepository } from './repository.ts';

const folder = '/data/trunk.git/objects/pack';

function packsOf(disk: Disk): string[] {
  const indexes = disk.list(folder).filter((name) => name.endsWith('.idx'));
  return indexes.map((name) => name.slice('pack-'.length, -'.idx'.length));
}

/** A trunk of four packs; the same text is written twice, so that two of them hold the same blob. */
function manyPacks(disk: Disk): TrunkRepository {
  const repository = makeTrunk(disk);
  for (let index = 0; index < 3; index += 1) {
    land(repository, [
      [
        { path: `src/file-${index}.ts`, text: `export const file = ${index % 2};\n` },
        { path: 'shared.md', text: `${index}\n` },
      ],
    ]);
  }
  return repository;
}

function open(disk: Disk): TrunkRepository {
  return TrunkRepository.open(disk, plainCodec, { directory: '/data/trunk.git' });
}

const join = (disk: Disk, names = packsOf(disk)): JoinOutcome => joinPacks(disk, plainCodec, folder, names);

/** Joins on a disk whose power goes at the operation with the given number. */
function stopAt(operation: number): { readonly disk: FaultyDisk; readonly cut: boolean } {
  const disk = new FaultyDisk();
  manyPacks(disk);
  disk.cutPowerAt(disk.operations + operation);
  try {
    expect(join(disk).kind).toBe('joined');
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
    return { disk, cut: true };
  }
  return { disk, cut: false };
}

/** Opens as at a start, and checks that all is there, nothing of ours lies about, and landing and joining go on. */
function check(disk: Disk): void {
  const repository = open(disk);
  repository.removeLeftovers();
  expect(repository.removeLeftovers()).toEqual([]);
  expect(checkReachable(repository)).toEqual({ commits: 4, notes: 3 });
  for (const name of disk.list(folder)) expect(name).toMatch(/^pack-[0-9a-f]{40}\.(pack|idx)$/);
  land(repository, [[{ path: 'later.md', text: 'later\n' }]]);
  expect(join(disk).kind).toBe('joined');
  expect(packsOf(disk)).toHaveLength(1);
  expect(checkReachable(open(disk)).commits).toBe(5);
}

describe('joinPacks', () => {
  it('[PJ1] [PJ2] copies every object once, and takes the packs away', () => {
    const disk = new MemoryDisk();
    const repository = manyPacks(disk);
    disk.write(`${folder}/multi-pack-index`, new Uint8Array(4));
    const outcome = join(disk);
    const [packName] = packsOf(disk);
    expect(outcome).toEqual({ kind: 'joined', packName });
    expect(disk.list(folder)).toEqual([`pack-${packName}.idx`, `pack-${packName}.pack`]);
    // The reader that knew the packs finds everything, and so does one that never did.
    expect(checkReachable(repository)).toEqual({ commits: 4, notes: 3 });
    check(disk);
  });

  it('joins a pack with itself alone to the same pack, which stays', () => {
    const disk = new MemoryDisk();
    manyPacks(disk);
    join(disk);
    const before = packsOf(disk);
    expect(join(disk)).toEqual({ kind: 'joined', packName: before[0] });
    expect(packsOf(disk)).toEqual(before);
    expect(checkReachable(open(disk)).commits).toBe(4);
  });

  it('[PJ3] names a pack that is damaged, cut off or gone, and changes nothing', () => {
    for (const [why, spoil] of [
      ['damaged', (bytes: Uint8Array) => bytes.with(40, (bytes[40] as number) ^ 1)],
      ['damaged', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 30)],
      ['gone', () => null],
    ] as const) {
      const disk = new MemoryDisk();
      manyPacks(disk);
      const names = packsOf(disk);
      const packName = names[2] as string;
      const path = `${folder}/pack-${packName}.pack`;
      const spoilt = spoil(disk.read(path) as Uint8Array);
      if (spoilt) disk.write(path, spoilt);
      else disk.remove(path);
      const files = disk.list(folder);
      expect(join(disk, names)).toEqual({ kind: 'unfit', packName, why });
      expect(disk.list(folder)).toEqual(files);
    }
  });

  it('[PJ2] [PF2] loses nothing to a kill at any step', () => {
    let operation = 1;
    for (; ; operation += 1) {
      const { disk, cut } = stopAt(operation);
      check(copyOf(disk));
      if (!cut) break;
    }
    expect(operation).toBeGreaterThan(15);
  });

  it('[PJ2] [PF2] loses nothing to a power cut at any step, whatever was lost or reordered', () => {
    for (let operation = 1; ; operation += 1) {
      const { disk, cut } = stopAt(operation);
      for (let seed = 0; seed < 2; seed += 1) check(disk.afterPowerCut(new RandomStream(seed)));
      if (!cut) return;
    }
  });
});
