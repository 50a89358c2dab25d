// The ObjectCodec of this package's own tests, on Node's libraries.

import { createHash } from 'node:crypto';
import { crc32, inflateSync } from 'node:zlib';
import type { ObjectCodec } from './codec.ts';

/** ObjectCodec for tests. */
export const testCodec: ObjectCodec = {
  sha1(parts) {
    const digest = createHash('sha1');
    for (const part of parts) digest.update(part);
    return digest.digest();
  },
  inflate(bytes, size) {
    const whole = inflateSync(bytes);
    return size === null || whole.length === size ? { bytes: whole, consumed: bytes.length } : null;
  },
  crc32: (bytes) => crc32(bytes),
};
