// The verifier's own reading of a prepared pack: every object with its id computed anew.
//
// Shares nothing with the code that builds packs. It knows the one form that a prepared pack may have: whole objects,
// uncompressed zlib blocks.

import type { VerificationProblem } from './model.ts';
import { IdMap } from './verify-id.ts';

/** An object of the pack or of the repository. */
export interface SeenObject {
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly bytes: Uint8Array;
}

/** Stops a verification. */
export class Refused extends Error {
  readonly problem: VerificationProblem;
  readonly path: string | undefined;

  constructor(problem: VerificationProblem, detail: string, path?: string) {
    super(detail);
    this.name = 'Refused';
    this.problem = problem;
    this.path = path;
  }
}

/** An object of the pack, with the id that its bytes have. */
export interface PackedObject extends SeenObject {
  readonly id: Uint8Array;
  readonly offset: number;
}

/** Hash function over one piece of bytes. */
export type Sha1 = (parts: readonly Uint8Array[]) => Uint8Array;

const kinds = [undefined, 'commit', 'tree', 'blob'] as const;
const headerRoom = 24;

/** Header and content of the object whose id is computed. */
let scratch = new Uint8Array(1 << 16);

/** Computes ids. */
export class IdComputer {
  readonly #sha1: Sha1;

  constructor(sha1: Sha1) {
    this.#sha1 = sha1;
  }

  idOf({ type, bytes }: SeenObject): Uint8Array {
    if (scratch.length < bytes.length + headerRoom) scratch = new Uint8Array(bytes.length * 2 + headerRoom);
    const buffer = scratch;
    const size = String(bytes.length);
    let at = headerRoom - size.length - type.length - 2;
    const start = at;
    for (let index = 0; index < type.length; index += 1) buffer[at++] = type.charCodeAt(index);
    buffer[at++] = 0x20;
    for (let index = 0; index < size.length; index += 1) buffer[at++] = size.charCodeAt(index);
    buffer[at] = 0;
    buffer.set(bytes, headerRoom);
    return this.#sha1([buffer.subarray(start, headerRoom + bytes.length)]);
  }
}

/** The objects of a pack by their true ids. */
export class ScannedPack {
  readonly #objects = new IdMap<PackedObject>();

  /** Throws Refused when the pack is malformed or its index does not lead to its objects. */
  constructor(pack: Uint8Array, index: Uint8Array, ids: IdComputer) {
    const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
    if (pack.length < 32 || view.getUint32(0) !== 0x5041434b || view.getUint32(4) !== 2)
      malformed('its header is wrong');
    const count = view.getUint32(8);
    let at = 12;
    for (let object = 0; object < count; object += 1) at = this.#scan(pack, view, at, ids);
    if (at !== pack.length - 20) malformed('bytes follow the last object');
    this.#checkIndex(index, count);
  }

  /** The object whose id lies in `bytes` at `at`. */
  get(bytes: Uint8Array, at: number): PackedObject | undefined {
    return this.#objects.get(bytes, at);
  }

  #scan(pack: Uint8Array, view: DataView, offset: number, ids: IdComputer): number {
    let at = offset;
    let byte = pack[at++] as number;
    const type = kinds[(byte >> 4) & 7];
    let size = byte & 15;
    for (let shift = 4; byte >= 0x80; shift += 7) {
      byte = pack[at++] as number;
      size += (byte & 0x7f) * 2 ** shift;
    }
    if (!type) malformed(`the object at ${offset} is not a whole one`);
    if (pack[at] !== 0x78 || view.getUint16(at) % 31 !== 0) malformed(`the stream at ${at} is not zlib's`);
    at += 2;
    const single = pack[at] === 1 && view.getUint16(at + 1, true) === size;
    const bytes = single ? pack.subarray(at + 5, at + 5 + size) : new Uint8Array(size);
    let filled = 0;
    for (let final = false; !final; ) {
      final = pack[at] === 1;
      const length = view.getUint16(at + 1, true);
      if ((!final && pack[at] !== 0) || (length ^ view.getUint16(at + 3, true)) !== 0xffff) malformed(`block at ${at}`);
      if (!single) bytes.set(pack.subarray(at + 5, at + 5 + length), filled);
      filled += length;
      at += 5 + length;
    }
    if (filled !== size) malformed(`the object at ${offset} has ${filled} bytes instead of ${size}`);
    if (view.getUint32(at) !== streamChecksum(bytes)) malformed(`the checksum of the stream at ${offset} is wrong`);
    const id = ids.idOf({ type, bytes });
    if (this.#objects.get(id, 0)) malformed(`the object at ${offset} is there twice`);
    this.#objects.set(id, { type, bytes, offset, id });
    return at + 4;
  }

  #checkIndex(index: Uint8Array, count: number): void {
    const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
    const names = 8 + 1024;
    if (index.length !== names + count * 28 + 40) wrongIndex('its length does not fit the pack');
    if (view.getUint32(0) !== 0xff744f63 || view.getUint32(4) !== 2) wrongIndex('its header is wrong');
    const offsets = names + count * 24;
    const below = new Uint32Array(256);
    for (let rank = 0; rank < count; rank += 1) {
      const at = names + rank * 20;
      if (rank > 0 && compareIds(index, at - 20, at) >= 0) wrongIndex('its names are not in order');
      const object = this.#objects.get(index, at);
      if (object?.offset !== view.getUint32(offsets + rank * 4)) wrongIndex(`entry ${rank} leads elsewhere`);
      below[index[at] as number] = rank + 1;
    }
    let last = 0;
    for (let first = 0; first < 256; first += 1) {
      last = Math.max(last, below[first] as number);
      if (view.getUint32(8 + first * 4) !== last) wrongIndex(`its table is wrong at ${first}`);
    }
  }
}

function compareIds(bytes: Uint8Array, left: number, right: number): number {
  for (let index = 0; index < 20; index += 1) {
    const difference = (bytes[left + index] as number) - (bytes[right + index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether the bytes at an offset are these characters. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

/**
 * The checksum at the end of a zlib stream: two sums, the second one of the first. Four bytes at a time add to the
 * second sum 4, 3, 2 and 1 times, which leaves the processor less to wait for.
 */
function streamChecksum(bytes: Uint8Array): number {
  let first = 1;
  let second = 0;
  let index = 0;
  while (index < bytes.length) {
    const stop = Math.min(bytes.length, index + 2048);
    for (const last = stop - 3; index < last; index += 4) {
      const one = bytes[index] as number;
      const two = bytes[index + 1] as number;
      const three = bytes[index + 2] as number;
      const four = bytes[index + 3] as number;
      second = (second + 4 * (first + one) + 3 * two + 2 * three + four) | 0;
      first = (first + one + two + three + four) | 0;
    }
    for (; index < stop; index += 1) {
      first = (first + (bytes[index] as number)) | 0;
      second = (second + first) | 0;
    }
    first %= 65521;
    second %= 65521;
  }
  return second * 65536 + first;
}

function malformed(why: string): never {
  throw new Refused('pack-malformed', `the pack cannot be read: ${why}`);
}

function wrongIndex(why: string): never {
  throw new Refused('index-wrong', `the index of the pack is wrong: ${why}`);
}
