// Reading objects out of one pack, each by the range where it lies.
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
import { type ObjectIndex, PackVanished } from './pack-index.ts';
import { readStored } from './zlib-stored.ts';

/** First read of an object: enough for most. */
const firstReadBytes = 4096;
/** Reads longer than this get memory of their own. */
const sharedBytesMax = 1 << 20;

const typeOfCode: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };

/** What reading needs around one pack. */
export interface PackContext {
  readonly disk: Disk;
  readonly codec: ObjectCodec;
  /** Takes the bytes of one entry after the other. */
  readonly buffer: ReadBuffer;
  /** Decoded objects by path and offset, bases of deltas above all. */
  readonly decoded: ByteCache<string, StoredObject>;
  /** An object anywhere in the repository. */
  readonly readElsewhere: (oid: Oid) => StoredObject | null;
}

/** Memory that reads share, one after the other. */
export class ReadBuffer {
  #bytes = new Uint8Array(firstReadBytes);

  /** Bytes of this length, of whatever content. What is large is not kept. */
  ofLength(length: number): Uint8Array {
    if (length > sharedBytesMax) return new Uint8Array(length);
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(Math.min(sharedBytesMax, length * 2));
    return this.#bytes.subarray(0, length);
  }
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
  readonly index: ObjectIndex;
  readonly #context: PackContext;

  constructor(path: string, index: ObjectIndex, context: PackContext) {
    this.path = path;
    this.index = index;
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
      const start = this.#range(at, firstReadBytes);
      const header = this.#header(start, at);
      const bytes = this.#inflated(start, at, header);
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

  /** `bytes` begin where the entry does, at `offset`. */
  #header(bytes: Uint8Array, offset: number): Header {
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

  /** `first` begins where the entry does, at `offset`; more is read when that is not enough. The result is a copy. */
  #inflated(first: Uint8Array, offset: number, header: Header): Uint8Array {
    const likely = header.length + header.size + (header.size >> 10) + 1024;
    let bytes = first;
    for (let length = firstReadBytes; ; ) {
      const isEnd = bytes.length < length;
      if (isEnd || length >= likely) {
        const stream = bytes.subarray(header.length);
        const result = readStored(stream, header.size) ?? this.#context.codec.inflate(stream, header.size)?.bytes;
        if (result) return result;
        if (isEnd) this.#corrupt(offset);
      }
      length = Math.max(likely, length * 2);
      bytes = this.#range(offset, length);
    }
  }

  /** Valid until the next one. */
  #range(offset: number, length: number): Uint8Array {
    const path = `${this.path}.pack`;
    const target = this.#context.buffer.ofLength(length);
    const read = this.#context.disk.readInto(path, offset, target);
    if (read === null) throw new PackVanished(path);
    return target.subarray(0, read);
  }

  #corrupt(offset: number): never {
    throw new TrunkError('corrupt', `${this.path}.pack is damaged at offset ${offset}`);
  }
}
