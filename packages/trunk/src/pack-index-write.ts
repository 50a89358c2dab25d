// Writing the index of a pack, version 2.

import type { ObjectCodec } from './codec.ts';
import { oidLength } from './oid-bytes.ts';
import { writeUint32 } from './pack-order.ts';

/** The objects of a pack by position; which positions count, and in which order, tells the order of their ids. */
export interface IndexedObjects {
  /** Ids, 20 bytes each. */
  readonly ids: Uint8Array;
  /** CRC-32 of each entry of the pack. */
  readonly sums: Uint32Array;
  /** Where each entry begins in the pack, less than 2 GiB. */
  readonly offsets: Uint32Array;
}

/** Length of what comes before the ids: the mark and the fan-out. */
export const packIndexHeadLength = 8 + 256 * 4;

/** Where the parts of the index of a pack with so many objects begin. */
export function packIndexPlaces(count: number) {
  const sums = packIndexHeadLength + count * oidLength;
  const offsets = sums + count * 4;
  return { names: packIndexHeadLength, sums, offsets, longOffsets: offsets + count * 4 };
}

/** Length of the index of a pack with so many objects, all of them in its first 2 GiB. */
export function packIndexLength(count: number): number {
  return packIndexPlaces(count).longOffsets + 2 * oidLength;
}

/** Writes the index of the objects at the positions in `order` to the beginning of `index`, which is long enough. */
export function writePackIndex(
  index: Uint8Array,
  objects: IndexedObjects,
  order: Float64Array,
  packChecksum: Uint8Array,
  codec: ObjectCodec,
): void {
  const count = order.length;
  const length = packIndexLength(count);
  const { ids, sums, offsets } = objects;
  index.set([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
  const places = packIndexPlaces(count);
  let first = 0;
  for (let rank = 0; rank < count; rank += 1) {
    const position = order[rank] as number;
    const id = position * oidLength;
    const lead = ids[id] as number;
    for (; first < lead; first += 1) writeUint32(index, 8 + first * 4, rank);
    for (let at = 0; at < oidLength; at += 1) index[places.names + rank * oidLength + at] = ids[id + at] as number;
    writeUint32(index, places.sums + rank * 4, sums[position] as number);
    writeUint32(index, places.offsets + rank * 4, offsets[position] as number);
  }
  for (; first < 256; first += 1) writeUint32(index, 8 + first * 4, count);
  index.set(packChecksum, length - 40);
  index.set(codec.sha1([index.subarray(0, length - 20)]), length - 20);
}
