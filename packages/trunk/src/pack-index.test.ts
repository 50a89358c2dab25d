// Look-ups in an index that is held in memory and in one that stays on disk.

import { RandomStream } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { MemoryDisk } from './memory-disk.ts';
import { openIndex, PackVanished } from './pack-index.ts';
import { packIndexLength, writePackIndex } from './pack-index-write.ts';
import { sortedPositions } from './pack-order.ts';
import { plainCodec } from './plain-codec.ts';

/** An index of these ids, where the object at a position lies at twelve times that. */
function indexOf(ids: Uint8Array, count: number): Uint8Array {
  const index = new Uint8Array(packIndexLength(count));
  const offsets = Uint32Array.from({ length: count }, (_, position) => position * 12);
  const codec = { ...plainCodec, sha1: () => new Uint8Array(20) };
  writePackIndex(
    index,
    { ids, sums: new Uint32Array(count), offsets },
    sortedPositions(ids, count),
    new Uint8Array(20),
    codec,
  );
  return index;
}

function randomIds(count: number, byte: (random: RandomStream, index: number) => number): Uint8Array {
  const random = new RandomStream(7);
  return Uint8Array.from({ length: count * 20 }, (_, index) => byte(random, index % 20));
}

const spread = (random: RandomStream) => random.below(256);
/** Ids of one bucket that agree in their first three bytes: no guess is right. */
const crowded = (random: RandomStream, index: number) => (index < 3 ? 9 : random.below(256));

describe('openIndex', () => {
  it.each([
    ['few', 900, spread],
    ['many', 60_000, spread],
    ['many that are alike', 30_000, crowded],
  ] as const)('finds each of %s objects, and none that is not there', (_, count, byte) => {
    const ids = randomIds(count, byte);
    const disk = new MemoryDisk();
    disk.write('index', indexOf(ids, count));
    const index = openIndex(disk, 'index');
    const step = Math.ceil(count / 3_000);
    for (let position = 0; position < count; position += step) {
      const id = ids.slice(position * 20, position * 20 + 20);
      expect(index?.find(id)).toBe(position * 12);
      id[19] = (id[19] as number) ^ 1;
      expect(index?.find(id)).toBe(-1);
    }
    expect(index?.find(new Uint8Array(20))).toBe(-1);
    expect(index?.find(new Uint8Array(20).fill(255))).toBe(-1);
  });

  it('says that an index is cut off, no index, or gone', () => {
    const disk = new MemoryDisk();
    expect(openIndex(disk, 'index')).toBeNull();
    const ids = randomIds(20_000, spread);
    const whole = indexOf(ids, 20_000);
    disk.write('index', whole.subarray(0, whole.length - 100));
    expect(() => openIndex(disk, 'index')).toThrow('is cut off');
    disk.write('index', whole.with(0, 0));
    expect(() => openIndex(disk, 'index')).toThrow('is not a pack index of version 2');
    disk.write('index', whole);
    const index = openIndex(disk, 'index');
    disk.remove('index');
    expect(() => index?.find(ids.subarray(0, 20))).toThrow(PackVanished);
  });
});
