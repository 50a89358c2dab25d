// The index of a pack, version 2: where in the pack each object lies.
//
// Small indexes are held in memory. One of millions of objects would take hundreds of megabytes, so it stays on disk: ids
// are spread evenly, so the place of one can be guessed, and the first read or two find it.

import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import { oidLength } from './oid-bytes.ts';
import { packIndexHeadLength, packIndexLength, packIndexPlaces } from './pack-index-write.ts';

const headerLength = 8;
/** Indexes up to this size are held in memory: those of some nine thousand objects. */
const heldBytesMax = 1 << 18;
/** Ids that are read at once from an index on disk. */
const windowIds = 400;
/** Guesses that may miss before the rest is halved: ids that somebody made up need not be spread evenly. */
const guessesMax = 4;

/** Look-ups of objects in one pack. */
export interface ObjectIndex {
  /** Offset in the pack of the object with these 20 bytes as id, or -1. Throws PackVanished. */
  find(oid: Uint8Array): number;
}

/** A pack's file went away, as it does when maintenance replaces packs. The caller looks for the object elsewhere. */
export class PackVanished extends Error {
  constructor(path: string) {
    super(`${path} is gone`);
    this.name = 'PackVanished';
  }
}

/** The index in a file, or null when there is no such file. Throws TrunkError `corrupt`. */
export function openIndex(disk: Disk, path: string): ObjectIndex | null {
  const size = disk.size(path);
  if (size === null) return null;
  if (size > heldBytesMax) return StoredPackIndex.open(disk, path, size);
  const bytes = disk.read(path);
  return bytes && new PackIndex(bytes, path);
}

/** Where the parts of an index lie. */
type IndexLayout = ReturnType<typeof packIndexPlaces>;

/** Reads header and fan-out. Throws `corrupt` when they, or a file of `size` bytes, are no index of version 2. */
function layoutOf(head: DataView, size: number, path: string): IndexLayout {
  const headed = head.byteLength >= packIndexHeadLength && size >= packIndexLength(0);
  if (!headed || head.getUint32(0) !== 0xff744f63 || head.getUint32(4) !== 2) {
    throw new TrunkError('corrupt', `${path} is not a pack index of version 2`);
  }
  const count = head.getUint32(packIndexHeadLength - 4);
  if (size < packIndexLength(count)) throw new TrunkError('corrupt', `${path} is cut off`);
  return packIndexPlaces(count);
}

/** Positions of the ids that begin with the same byte. */
function bucketOf(head: DataView, first: number): { low: number; high: number } {
  const low = first === 0 ? 0 : head.getUint32(headerLength + (first - 1) * 4);
  return { low, high: head.getUint32(headerLength + first * 4) };
}

/** Order of the id at `start` against another. */
function compareIdAt(bytes: Uint8Array, start: number, oid: Uint8Array): number {
  for (let index = 0; index < oidLength; index += 1) {
    const difference = (bytes[start + index] as number) - (oid[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Position of the id among `count` sorted ones from `start` on, or -1. */
function searchIds(bytes: Uint8Array, start: number, from: number, to: number, oid: Uint8Array): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareIdAt(bytes, start + middle * oidLength, oid);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** Look-ups in the bytes of one pack index. */
export class PackIndex implements ObjectIndex {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #layout: IndexLayout;

  /** Throws `corrupt` when the bytes are no index of version 2. `path` names it in the error. */
  constructor(bytes: Uint8Array, path: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#layout = layoutOf(this.#view, bytes.length, path);
  }

  find(oid: Uint8Array): number {
    const { low, high } = bucketOf(this.#view, oid[0] as number);
    const { names, offsets, longOffsets } = this.#layout;
    const position = searchIds(this.#bytes, names, low, high, oid);
    if (position < 0) return -1;
    const offset = this.#view.getUint32(offsets + position * 4);
    if (offset < 0x80000000) return offset;
    return Number(this.#view.getBigUint64(longOffsets + (offset - 0x80000000) * 8));
  }
}

/** Look-ups in an index that stays on disk. */
class StoredPackIndex implements ObjectIndex {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #head: DataView;
  readonly #layout: IndexLayout;
  /** Takes what is read, one read after the other. */
  readonly #buffer = new Uint8Array(windowIds * oidLength);

  private constructor(disk: Disk, path: string, head: DataView, layout: IndexLayout) {
    this.#disk = disk;
    this.#path = path;
    this.#head = head;
    this.#layout = layout;
  }

  static open(disk: Disk, path: string, size: number): StoredPackIndex | null {
    const bytes = disk.readRange(path, 0, packIndexHeadLength);
    if (!bytes) return null;
    const head = viewOf(bytes.slice());
    return new StoredPackIndex(disk, path, head, layoutOf(head, size, path));
  }

  find(oid: Uint8Array): number {
    let { low, high } = bucketOf(this.#head, oid[0] as number);
    // What the bytes after the first say about the place among those that share it.
    const fraction = viewOf(oid).getUint32(1) / 2 ** 32;
    for (let guesses = 0; low < high; guesses += 1) {
      const centre = guesses < guessesMax ? this.#guess(low, high, fraction, oid) : (low + high) >>> 1;
      const from = Math.max(low, Math.min(centre - windowIds / 2, high - windowIds));
      const to = Math.min(high, from + windowIds);
      const ids = this.#range(this.#layout.names + from * oidLength, (to - from) * oidLength);
      const found = searchIds(ids, 0, 0, to - from, oid);
      if (found >= 0) return this.#offset(from + found);
      if (compareIdAt(ids, 0, oid) > 0) high = from;
      else if (compareIdAt(ids, (to - from - 1) * oidLength, oid) < 0) low = to;
      else return -1;
    }
    return -1;
  }

  /** Where an evenly spread id would lie in its bucket, within what is left of it. */
  #guess(low: number, high: number, fraction: number, oid: Uint8Array): number {
    const bucket = bucketOf(this.#head, oid[0] as number);
    const place = bucket.low + Math.floor((bucket.high - bucket.low) * fraction);
    return Math.min(Math.max(place, low), high - 1);
  }

  #offset(position: number): number {
    const offset = viewOf(this.#range(this.#layout.offsets + position * 4, 4)).getUint32(0);
    if (offset < 0x80000000) return offset;
    return Number(viewOf(this.#range(this.#layout.longOffsets + (offset - 0x80000000) * 8, 8)).getBigUint64(0));
  }

  /** Valid until the next one. */
  #range(start: number, length: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, length);
    const read = this.#disk.readInto(this.#path, start, bytes);
    if (read === length) return bytes;
    if (read === null) throw new PackVanished(this.#path);
    throw new TrunkError('corrupt', `${this.#path} is cut off`);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
