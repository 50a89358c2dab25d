// CRC-32 as in ISO 3309 (reflected polynomial 0xEDB88320): finds bytes that changed by accident, not by intent.

const table = new Uint32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  }
  table[byte] = remainder;
}

/**
 * CRC-32 of `bytes` as an unsigned integer. `before` is the checksum of the bytes that come before them, so the
 * checksum of a long text can be computed part by part.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let remainder = ~before;
  for (let index = 0; index < bytes.length; index += 1) {
    remainder = (remainder >>> 8) ^ (table[(remainder ^ (bytes[index] as number)) & 0xff] as number);
  }
  return ~remainder >>> 0;
}
