// Object ids in the order in which an index lists them, and big-endian numbers as packs and indexes have them.

import { oidLength } from './oid-bytes.ts';

/** Objects that one pack of ours may hold: their positions share a double with 32 bits of their ids when sorted. */
export const objectsMax = 1 << 20;

/** Positions of `count` ids in their order; equal ids keep the order of their positions. */
export function sortedPositions(ids: Uint8Array, count: number): Float64Array {
  const keys = new Float64Array(count);
  for (let position = 0; position < count; position += 1) {
    keys[position] = readUint32(ids, position * oidLength) * objectsMax + position;
  }
  keys.sort();
  for (let rank = 0; rank < count; rank += 1) keys[rank] = (keys[rank] as number) % objectsMax;
  // Ids that share their first 32 bits are still in the order of their positions: put those few right.
  for (let rank = 1; rank < count; rank += 1) {
    for (let at = rank; at > 0 && compareIds(ids, keys[at - 1] as number, keys[at] as number) > 0; at -= 1) {
      const moved = keys[at] as number;
      keys[at] = keys[at - 1] as number;
      keys[at - 1] = moved;
    }
  }
  return keys;
}

/** Order of the ids at two positions. */
export function compareIds(ids: Uint8Array, left: number, right: number): number {
  for (let index = 0; index < oidLength; index += 1) {
    const difference = (ids[left * oidLength + index] as number) - (ids[right * oidLength + index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Writes a number of four bytes. Answers the place behind it. */
export function writeUint32(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
  return at + 4;
}

/** The number in four bytes. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}
