// Writing a pack of whole, uncompressed objects and its index, in memory.
//
// Stored blocks instead of deflate: compressing hundreds of small objects costs more than everything else together,
// and a later repack by stock git makes up for the size.
//
// Invariants:
//   PW1. An object is in the pack once, however often it is added.
//   PW2. Buffers are used again: what `finish` returns is valid until the next `begin`.

import { assert } from '@firetrident/base';
import type { ObjectCodec } from './codec.ts';
import { oidLength, oidText } from './oid-bytes.ts';
import { adler32, storedBlockMax } from './zlib-stored.ts';

/** Kinds of objects as a pack numbers them. */
export const packTypes = { commit: 1, tree: 2, blob: 3 } as const;

/** Objects that one pack may hold: their positions share a double with 32 bits of their ids when sorted. */
const objectsMax = 1 << 20;
const packHeaderLength = 12;

/** A finished pack (PW2). */
export interface FinishedPack {
  readonly name: string;
  readonly pack: Uint8Array;
  readonly index: Uint8Array;
  readonly objectCount: number;
}

/** Collects objects into a pack. */
export class PackWriter {
  readonly #codec: ObjectCodec;
  #pack = new Uint8Array(1 << 20);
  #length = 0;
  #count = 0;
  #ids = new Uint8Array(1024 * oidLength);
  #offsets = new Uint32Array(1024);
  #sums = new Uint32Array(1024);
  /** Open addressing by the first bytes of the ids; 0 is free, otherwise position + 1. */
  #slots = new Int32Array(4096);
  #index = new Uint8Array(1 << 16);

  constructor(codec: ObjectCodec) {
    this.#codec = codec;
  }

  /** Starts a new pack. */
  begin(): void {
    this.#length = packHeaderLength;
    this.#count = 0;
    this.#slots.fill(0);
  }

  /** Adds an object unless it is there already (PW1). `checksum` is the content's Adler-32 when it is known. */
  add(type: number, id: Uint8Array, content: Uint8Array, checksum?: number): void {
    if (!this.#claim(id)) return;
    const blocks = Math.max(1, Math.ceil(content.length / storedBlockMax));
    this.#reserve(content.length + blocks * 5 + 32);
    const pack = this.#pack;
    const start = this.#length;
    let at = start;
    let rest = Math.floor(content.length / 16);
    pack[at++] = (type << 4) | (content.length & 15) | (rest > 0 ? 0x80 : 0);
    for (; rest > 0; rest = Math.floor(rest / 128)) pack[at++] = (rest & 0x7f) | (rest >= 128 ? 0x80 : 0);
    pack[at++] = 0x78;
    pack[at++] = 0x01;
    for (let block = 0; block < blocks; block += 1) {
      const from = block * storedBlockMax;
      const size = Math.min(storedBlockMax, content.length - from);
      pack[at++] = block === blocks - 1 ? 1 : 0;
      pack[at++] = size & 0xff;
      pack[at++] = size >> 8;
      pack[at++] = ~size & 0xff;
      pack[at++] = (~size >> 8) & 0xff;
      pack.set(blocks === 1 ? content : content.subarray(from, from + size), at);
      at += size;
    }
    at = writeUint32(pack, at, checksum ?? adler32(content, 0, content.length));
    this.#offsets[this.#count - 1] = start;
    this.#sums[this.#count - 1] = this.#codec.crc32(pack.subarray(start, at));
    this.#length = at;
  }

  /** Completes header, checksum and index. */
  finish(): FinishedPack {
    this.#reserve(oidLength);
    assert(this.#length < 0x80000000, 'a pack fits in two gigabytes');
    const pack = this.#pack;
    pack.set([0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2]);
    writeUint32(pack, 8, this.#count);
    const checksum = this.#codec.sha1([pack.subarray(0, this.#length)]);
    pack.set(checksum, this.#length);
    const index = this.#writeIndex(checksum);
    const packed = pack.subarray(0, this.#length + oidLength);
    return { name: oidText(checksum), pack: packed, index, objectCount: this.#count };
  }

  #writeIndex(packChecksum: Uint8Array): Uint8Array {
    const count = this.#count;
    const length = 8 + 1024 + count * 28 + 40;
    if (this.#index.length < length) this.#index = new Uint8Array(length * 2);
    const index = this.#index;
    index.set([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
    const order = this.#sortedPositions();
    const names = 8 + 1024;
    const sums = names + count * oidLength;
    const offsets = sums + count * 4;
    let first = 0;
    for (let rank = 0; rank < count; rank += 1) {
      const position = order[rank] as number;
      const id = position * oidLength;
      const lead = this.#ids[id] as number;
      for (; first < lead; first += 1) writeUint32(index, 8 + first * 4, rank);
      for (let at = 0; at < oidLength; at += 1) index[names + rank * oidLength + at] = this.#ids[id + at] as number;
      writeUint32(index, sums + rank * 4, this.#sums[position] as number);
      writeUint32(index, offsets + rank * 4, this.#offsets[position] as number);
    }
    for (; first < 256; first += 1) writeUint32(index, 8 + first * 4, count);
    index.set(packChecksum, length - 40);
    index.set(this.#codec.sha1([index.subarray(0, length - 20)]), length - 20);
    return index.subarray(0, length);
  }

  /** Positions of the objects in the order of their ids. */
  #sortedPositions(): Float64Array {
    const ids = this.#ids;
    const keys = new Float64Array(this.#count);
    for (let position = 0; position < keys.length; position += 1) {
      keys[position] = readUint32(ids, position * oidLength) * objectsMax + position;
    }
    keys.sort();
    for (let rank = 0; rank < keys.length; rank += 1) keys[rank] = (keys[rank] as number) % objectsMax;
    // Ids that share their first 32 bits are still in the order of their positions: put those few right.
    for (let rank = 1; rank < keys.length; rank += 1) {
      for (let at = rank; at > 0 && this.#compare(keys[at - 1] as number, keys[at] as number) > 0; at -= 1) {
        const moved = keys[at] as number;
        keys[at] = keys[at - 1] as number;
        keys[at - 1] = moved;
      }
    }
    return keys;
  }

  #compare(left: number, right: number): number {
    for (let index = 0; index < oidLength; index += 1) {
      const difference =
        (this.#ids[left * oidLength + index] as number) - (this.#ids[right * oidLength + index] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Takes the next position for the id, or answers false when it has one (PW1). */
  #claim(id: Uint8Array): boolean {
    const mask = this.#slots.length - 1;
    let slot = readUint32(id, 0) & mask;
    for (let held = this.#slots[slot] as number; held !== 0; held = this.#slots[slot] as number) {
      if (this.#holds((held - 1) * oidLength, id)) return false;
      slot = (slot + 1) & mask;
    }
    assert(this.#count < objectsMax, 'a pack has at most a million objects');
    if (this.#count === this.#offsets.length) this.#growTables();
    this.#ids.set(id, this.#count * oidLength);
    this.#count += 1;
    this.#slots[slot] = this.#count;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return true;
  }

  #holds(start: number, id: Uint8Array): boolean {
    for (let index = 0; index < oidLength; index += 1) if (this.#ids[start + index] !== id[index]) return false;
    return true;
  }

  #growTables(): void {
    const size = this.#count * 2;
    const ids = new Uint8Array(size * oidLength);
    ids.set(this.#ids);
    this.#ids = ids;
    const offsets = new Uint32Array(size);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    const sums = new Uint32Array(size);
    sums.set(this.#sums);
    this.#sums = sums;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4);
    const mask = this.#slots.length - 1;
    for (let position = 0; position < this.#count; position += 1) {
      let slot = readUint32(this.#ids, position * oidLength) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = position + 1;
    }
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#pack.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#pack.length * 2));
    grown.set(this.#pack.subarray(0, this.#length));
    this.#pack = grown;
  }
}

function writeUint32(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
  return at + 4;
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}
