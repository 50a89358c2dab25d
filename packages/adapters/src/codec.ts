// Hashing and compression of git objects by Node's own libraries.

import { createHash, hash } from 'node:crypto';
import { crc32, inflateSync } from 'node:zlib';
import type { ObjectCodec } from '@firetrident/trunk';

/** A short string costs less to hand over than a buffer of its own. */
function bytesOf(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** ObjectCodec port on node:crypto and node:zlib. */
export const nodeCodec: ObjectCodec = {
  sha1(parts) {
    if (Array.isArray(parts) && parts.length === 1) return bytesOf(hash('sha1', parts[0], 'binary'));
    const digest = createHash('sha1');
    for (const part of parts) digest.update(part);
    return digest.digest();
  },

  inflate(bytes, size) {
    try {
      // One byte more than expected is allowed, so that a longer stream is seen instead of cut.
      const limit = size === null ? {} : { maxOutputLength: size + 1 };
      const result = inflateSync(bytes, { info: true, ...limit }) as unknown as {
        readonly buffer: Uint8Array;
        readonly engine: { readonly bytesWritten: number };
      };
      if (size !== null && result.buffer.length !== size) return null;
      return { bytes: result.buffer, consumed: result.engine.bytesWritten };
    } catch (error) {
      if (error instanceof Error && 'code' in error) return null;
      throw error;
    }
  },

  crc32: (bytes) => crc32(bytes),
};
