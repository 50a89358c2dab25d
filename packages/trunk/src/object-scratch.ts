// A buffer in which an object is put together with the header that git hashes, so that one call hashes it.

import type { ObjectCodec } from './codec.ts';
import type { ObjectType } from './object-type.ts';

/** Room for the longest header: a kind, a space, the length, a zero byte. */
const headerRoom = 32;
const encoder = new TextEncoder();

/** A buffer used again for one object after another. */
export class ObjectScratch {
  readonly #codec: ObjectCodec;
  #bytes = new Uint8Array(1 << 16);

  constructor(codec: ObjectCodec) {
    this.#codec = codec;
  }

  /** Where to put the content of an object of `length` bytes. Valid until the next object. */
  content(length: number): Uint8Array {
    if (this.#bytes.length < headerRoom + length) this.#bytes = new Uint8Array((headerRoom + length) * 2);
    return this.#bytes.subarray(headerRoom, headerRoom + length);
  }

  /** Puts `text` as the content and answers it as bytes. Valid until the next object. */
  encode(text: string): Uint8Array {
    // No character takes more than three bytes per unit of the string.
    const room = this.content(text.length * 3);
    return room.subarray(0, encoder.encodeInto(text, room).written);
  }

  /** Id of the object of this kind whose `length` bytes of content were put last. */
  hash(type: ObjectType, length: number): Uint8Array {
    const header = `${type} ${length}\0`;
    const start = headerRoom - header.length;
    for (let index = 0; index < header.length; index += 1) this.#bytes[start + index] = header.charCodeAt(index);
    return this.#codec.sha1([this.#bytes.subarray(start, headerRoom + length)]);
  }
}
