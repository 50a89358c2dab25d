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
import { packIndexLength, writePackIndex } from './pack-index-write.ts';
import { objectsMax, readUint32, sortedPositions, writeUint32 } from './pack-order.ts';
import { adler32, storedBlockMax } from './zlib-stored.ts';

/** Kinds of objects as a pack numbers them. */
export const packTypes = { commit: 1, tree: 2, blob: 3 } as const;

/** Length of what comes before the first object of a pack. */
export const packHeaderLength = 12;

/** Writes the header of a pack with so many objects. */
export function writePackHeader(pack: Uint8Array, count: number): void {
  pack.set([0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2]);
  writeUint32(pack, 8, count);
}

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
    writePackHeader(pack, this.#count);
    const checksum = this.#codec.sha1([pack.subarray(0, this.#length)]);
    pack.set(checksum, this.#length);
    const index = this.#writeIndex(checksum);
    const packed = pack.subarray(0, this.#length + oidLength);
    return { name: oidText(checksum), pack: packed, index, objectCount: this.#count };
  }

  #writeIndex(packChecksum: Uint8Array): Uint8Array {
    const length = packIndexLength(this.#count);
    if (this.#index.length < length) this.#index = new Uint8Array(length * 2);
    const objects = { ids: this.#ids, sums: this.#sums, offsets: this.#offsets };
    const order = sortedPositions(this.#ids, this.#count);
    writePackIndex(this.#index, objects, order, packChecksum, this.#codec);
    return this.#index.subarray(0, length);
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
