// Reading objects out of one pack.
//
// It never knows other packs: where a delta's base lies elsewhere, it asks.

import type { Oid } from '@firetrident/base';
import type { ByteCache } from './byte-cache.ts';
import type { ObjectCodec } from './codec.ts';
import { applyDelta } from './delta.ts';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import type { ObjectType, StoredObject } from './object-type.ts';
import { oidText } from './oid-bytes.ts';
import type { PackIndex } from './pack-index.ts';
import { readStored } from './zlib-stored.ts';

/** Packs up to this size are read as a whole and kept in a bounded cache. */
const wholeBytesMax = 4 << 20;
/** First read of an object from a larger pack: enough for most. */
const firstReadBytes = 4096;

const typeOfCode: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };

/** The pack's file went away, as it does when maintenance replaces packs. The caller looks for it elsewhere. */
export class PackVanished extends Error {
  constructor(path: string) {
    super(`${path} is gone`);
    this.name = 'PackVanished';
  }
}

/** What reading needs around one pack. */
export interface PackContext {
  readonly disk: Disk;
  readonly codec: ObjectCodec;
  /** Whole small packs by path. */
  readonly wholes: ByteCache<string, Uint8Array>;
  /** Decoded objects by path and offset, bases of deltas above all. */
  readonly decoded: ByteCache<string, StoredObject>;
  /** An object anywhere in the repository. */
  readonly readElsewhere: (oid: Oid) => StoredObject | null;
}

interface Header {
  readonly code: number;
  readonly size: number;
  /** Bytes from the entry's start to its zlib stream. */
  readonly length: number;
  readonly baseOffset: number;
  readonly baseOid: Oid;
}

/** One pack with its index. */
export class Pack {
  /** Path without ending. */
  readonly path: string;
  readonly index: PackIndex;
  readonly #size: number;
  readonly #context: PackContext;

  constructor(path: string, index: PackIndex, size: number, context: PackContext) {
    this.path = path;
    this.index = index;
    this.#size = size;
    this.#context = context;
  }

  /** The object at an offset that the index named. Throws PackVanished, or TrunkError `corrupt`. */
  readAt(offset: number): StoredObject {
    const deltas: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
    let at = offset;
    let object: StoredObject | null = null;
    while (!object) {
      object = this.#context.decoded.get(`${this.path}:${at}`) ?? null;
      if (object) break;
      const header = this.#header(at);
      const bytes = this.#inflated(at, header);
      const type = typeOfCode[header.code];
      if (type) object = { type, bytes };
      else deltas.push({ offset: at, bytes });
      if (header.code === 6) at = header.baseOffset;
      if (header.code === 7) object = this.#context.readElsewhere(header.baseOid) ?? this.#corrupt(at);
    }
    for (const delta of deltas.reverse()) {
      const bytes: Uint8Array = applyDelta(object.bytes, delta.bytes) ?? this.#corrupt(delta.offset);
      this.#context.decoded.set(`${this.path}:${at}`, object);
      object = { type: object.type, bytes };
      at = delta.offset;
    }
    return object;
  }

  #header(offset: number): Header {
    const bytes = this.#window(offset, 64);
    let at = 1;
    let byte = bytes[0] ?? 0;
    const code = (byte >> 4) & 7;
    let size = byte & 15;
    for (let scale = 16; byte >= 0x80; scale *= 128, at += 1) {
      byte = bytes[at] ?? 0;
      size += (byte & 0x7f) * scale;
    }
    if (code === 6) {
      byte = bytes[at] ?? 0;
      let distance = byte & 0x7f;
      for (at += 1; byte >= 0x80; at += 1) {
        byte = bytes[at] ?? 0;
        distance = (distance + 1) * 128 + (byte & 0x7f);
      }
      if (distance <= 0 || distance > offset) this.#corrupt(offset);
      return { code, size, length: at, baseOffset: offset - distance, baseOid: '' };
    }
    if (code === 7) return { code, size, length: at + 20, baseOffset: 0, baseOid: oidText(bytes, at) };
    if (!typeOfCode[code]) this.#corrupt(offset);
    return { code, size, length: at, baseOffset: 0, baseOid: '' };
  }

  #inflated(offset: number, header: Header): Uint8Array {
    const start = offset + header.length;
    const likely = header.size + (header.size >> 10) + 1024;
    for (let length = Math.max(likely, firstReadBytes); ; length *= 2) {
      const bytes = this.#window(start, length);
      const result = readStored(bytes, header.size) ?? this.#context.codec.inflate(bytes, header.size)?.bytes;
      if (result) return result;
      if (bytes.length < length) this.#corrupt(offset);
    }
  }

  #window(offset: number, length: number): Uint8Array {
    const { disk, wholes } = this.#context;
    const path = `${this.path}.pack`;
    if (this.#size > wholeBytesMax) {
      const part = disk.readRange(path, offset, length);
      if (!part) throw new PackVanished(path);
      return part;
    }
    let whole = wholes.get(path);
    if (!whole) {
      const read = disk.read(path);
      if (!read) throw new PackVanished(path);
      wholes.set(path, read);
      whole = read;
    }
    return whole.subarray(offset, offset + length);
  }

  #corrupt(offset: number): never {
    throw new TrunkError('corrupt', `${this.path}.pack is damaged at offset ${offset}`);
  }
}
