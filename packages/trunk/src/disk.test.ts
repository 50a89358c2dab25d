// Disks in memory: the contract of the port, and what a power cut leaves.

import { RandomStream, utf8, utf8Text } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { DiskError } from './disk.ts';
import { diskContract } from './disk-contract.ts';
import { FaultyDisk, PowerCut } from './faulty-disk.ts';
import { MemoryDisk } from './memory-disk.ts';

const runner = { describe, it, equal: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) };

for (const [name, make] of [
  ['MemoryDisk', () => new MemoryDisk()],
  ['FaultyDisk', () => new FaultyDisk()],
] as const) {
  diskContract(name, runner, () => {
    const disk = make();
    disk.makeDirectory('/data');
    return { disk, root: '/data' };
  });
}

function textOf(disk: FaultyDisk, path: string): string | null {
  const bytes = disk.read(path);
  return bytes && utf8Text(bytes);
}

function diskWithFolder(): FaultyDisk {
  const disk = new FaultyDisk();
  disk.makeDirectory('/data');
  disk.syncDirectory('/');
  return disk;
}

describe('FaultyDisk', () => {
  it('[FD1] keeps what was synced, file and name, over every cut', () => {
    const disk = diskWithFolder();
    disk.write('/data/kept', utf8('content'));
    disk.sync('/data/kept');
    disk.syncDirectory('/data');
    disk.write('/data/other', utf8('other'));
    for (let seed = 0; seed < 50; seed += 1) {
      expect(textOf(disk.afterPowerCut(new RandomStream(seed)), '/data/kept')).toBe('content');
    }
  });

  it('loses and tears what was not synced, in every way that can be', () => {
    const disk = diskWithFolder();
    disk.write('/data/file', utf8('before'));
    disk.sync('/data/file');
    disk.syncDirectory('/data');
    disk.write('/data/file', utf8('afterwards'));
    disk.write('/data/fresh', utf8('fresh'));
    const seen = new Set<string | null>();
    let freshLost = 0;
    for (let seed = 0; seed < 300; seed += 1) {
      const survivor = disk.afterPowerCut(new RandomStream(seed));
      seen.add(textOf(survivor, '/data/file'));
      if (survivor.read('/data/fresh') === null) freshLost += 1;
    }
    expect(seen).toContain('before');
    expect(seen).toContain('afterwards');
    expect(seen).toContain('after');
    expect(seen.size).toBeGreaterThan(10);
    expect(freshLost).toBeGreaterThan(50);
    expect(freshLost).toBeLessThan(250);
  });

  it('[DK3] keeps or loses a rename as one', () => {
    const disk = diskWithFolder();
    for (const name of ['old', 'next']) {
      disk.write(`/data/${name}`, utf8(name));
      disk.sync(`/data/${name}`);
    }
    disk.syncDirectory('/data');
    disk.rename('/data/next', '/data/old');
    const seen = new Set<string>();
    for (let seed = 0; seed < 50; seed += 1) {
      const survivor = disk.afterPowerCut(new RandomStream(seed));
      seen.add(`${textOf(survivor, '/data/old')} ${textOf(survivor, '/data/next')}`);
    }
    expect([...seen].sort()).toEqual(['next null', 'old next']);
  });

  it('[FD2] gives the same survivor for the same seed', () => {
    const disk = diskWithFolder();
    for (let file = 0; file < 20; file += 1) disk.write(`/data/${file}`, utf8(`content of ${file}`));
    const state = (seed: number): (string | null)[] => {
      const survivor = disk.afterPowerCut(new RandomStream(seed));
      return Array.from({ length: 20 }, (_, file) => textOf(survivor, `/data/${file}`));
    };
    expect(state(7)).toEqual(state(7));
    expect(state(7)).not.toEqual(state(8));
  });

  it('fails the chosen operations with the chosen kind, and goes dark at a cut', () => {
    const disk = diskWithFolder();
    disk.failFrom(disk.operations + 1, 'full');
    expect(() => disk.write('/data/a', utf8('0123456789'))).toThrow(DiskError);
    expect(textOf(disk, '/data/a')).toBe('01234');
    disk.write('/data/a', utf8('0123456789'));
    disk.cutPowerAt(disk.operations + 2);
    disk.sync('/data/a');
    expect(() => disk.sync('/data/a')).toThrow(PowerCut);
    expect(() => disk.remove('/data/a')).toThrow(PowerCut);
  });
});
