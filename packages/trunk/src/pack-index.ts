// The index of a pack, version 2: where in the pack each object lies.

import { TrunkError } from './errors.ts';

const headerLength = 8;
const fanoutLength = 256 * 4;

/** Look-ups in the bytes of one pack index. */
export class PackIndex {
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #names: number;
  readonly #offsets: number;
  readonly #longOffsets: number;

  /** Throws `corrupt` when the bytes are no index of version 2. `path` names it in the error. */
  constructor(bytes: Uint8Array, path: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const headed = bytes.length >= headerLength + fanoutLength + 40;
    if (!headed || this.#view.getUint32(0) !== 0xff744f63 || this.#view.getUint32(4) !== 2) {
      throw new TrunkError('corrupt', `${path} is not a pack index of version 2`);
    }
    this.count = this.#view.getUint32(headerLength + fanoutLength - 4);
    this.#names = headerLength + fanoutLength;
    this.#offsets = this.#names + this.count * 24;
    this.#longOffsets = this.#offsets + this.count * 4;
    if (bytes.length < this.#longOffsets + 40) throw new TrunkError('corrupt', `${path} is cut off`);
  }

  /** Offset in the pack of the object with these 20 bytes as id, or -1. */
  find(oid: Uint8Array): number {
    const first = oid[0] as number;
    let low = first === 0 ? 0 : this.#view.getUint32(headerLength + (first - 1) * 4);
    let high = this.#view.getUint32(headerLength + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, oid);
      if (order === 0) return this.#offset(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  #compare(position: number, oid: Uint8Array): number {
    const start = this.#names + position * 20;
    for (let index = 0; index < 20; index += 1) {
      const difference = (this.#bytes[start + index] as number) - (oid[index] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #offset(position: number): number {
    const offset = this.#view.getUint32(this.#offsets + position * 4);
    if (offset < 0x80000000) return offset;
    return Number(this.#view.getBigUint64(this.#longOffsets + (offset - 0x80000000) * 8));
  }
}
