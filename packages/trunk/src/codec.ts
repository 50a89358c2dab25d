// Hashing and compression, which platforms do natively.

/** Port to the three computations that git objects need. */
export interface ObjectCodec {
  /** SHA-1 of the parts joined: 20 bytes. Each part may be made when it is asked for, and change when the next one is. */
  sha1(parts: Iterable<Uint8Array>): Uint8Array;
  /**
   * Decompresses one zlib stream at the start of `bytes`; what follows the stream is ignored.
   * `size` is the exact length of the result, null when it is not known beforehand. Null is the answer when the
   * stream is cut off, damaged, or of another length.
   */
  inflate(bytes: Uint8Array, size: number | null): { readonly bytes: Uint8Array; readonly consumed: number } | null;
  /** CRC-32 (IEEE) as an unsigned integer. */
  crc32(bytes: Uint8Array): number;
}
