// The ObjectCodec without a platform, for simulators and tests: slower, and it reads uncompressed streams only.
//
// That is enough for everything the trunk writes itself; a repository that stock git has compressed needs a platform's.

import type { ObjectCodec } from './codec.ts';
import { readStored, storedLength } from './zlib-stored.ts';

const words = new Int32Array(80);
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** ObjectCodec in plain code. `inflate` answers null for compressed streams. */
export const plainCodec: ObjectCodec = {
  sha1(parts) {
    const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
    const message = padded(Array.isArray(parts) ? parts : Array.from(parts, (part) => part.slice()));
    for (let at = 0; at < message.length; at += 64) mixBlock(message, at, state);
    return Uint8Array.from({ length: 20 }, (_, index) => (state[index >> 2] as number) >>> (24 - (index & 3) * 8));
  },

  inflate(bytes, size) {
    const stream = storedLength(bytes);
    const result = stream && readStored(bytes, size ?? stream.content);
    return stream && result ? { bytes: result, consumed: stream.consumed } : null;
  },

  crc32(bytes) {
    let value = 0xffffffff;
    for (const byte of bytes) value = (value >>> 8) ^ (crcTable[(value ^ byte) & 0xff] as number);
    return (value ^ 0xffffffff) >>> 0;
  },
};

/** The parts joined, with the ending of SHA-1: a bit, zeros to a multiple of 64 bytes, the length in bits. */
function padded(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const message = new Uint8Array(((length + 8) >> 6) * 64 + 64);
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  message[at] = 0x80;
  new DataView(message.buffer).setBigUint64(message.length - 8, BigInt(length) * 8n);
  return message;
}

/** One round of SHA-1 over 64 bytes (FIPS 180-4). */
function mixBlock(message: Uint8Array, start: number, state: Int32Array): void {
  const view = new DataView(message.buffer, start, 64);
  for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(index * 4);
  for (let index = 16; index < 80; index += 1) {
    const mixed =
      (words[index - 3] as number) ^
      (words[index - 8] as number) ^
      (words[index - 14] as number) ^
      (words[index - 16] as number);
    words[index] = rotated(mixed, 1);
  }
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
  for (let index = 0; index < 80; index += 1) {
    const sum = (rotated(a, 5) + chosen(index, b, c, d) + e + (words[index] as number)) | 0;
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = sum;
  }
  for (const [index, value] of [a, b, c, d, e].entries()) state[index] = ((state[index] as number) + value) | 0;
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function chosen(index: number, b: number, c: number, d: number): number {
  if (index < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (index < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (index < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
