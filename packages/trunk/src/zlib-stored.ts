// Uncompressed zlib streams: what our own packs consist of, written and read without a compressor.

/** Bytes that a stored block can carry. */
export const storedBlockMax = 0xffff;

/** Adler-32 of `bytes[start, end)`. */
export function adler32(bytes: Uint8Array, start: number, end: number): number {
  let low = 1;
  let high = 0;
  for (let index = start; index < end; ) {
    // 3,800 additions of bytes cannot overflow before the reduction.
    const stop = Math.min(index + 3800, end);
    for (; index < stop; index += 1) {
      low += bytes[index] as number;
      high += low;
    }
    low %= 65521;
    high %= 65521;
  }
  return ((high << 16) | low) >>> 0;
}

/** Lengths of content and stream when a stream consists of stored blocks only, else null. */
export function storedLength(bytes: Uint8Array): { readonly content: number; readonly consumed: number } | null {
  let content = 0;
  let at = 2;
  for (let final = false; !final; ) {
    const header = bytes[at];
    if (header !== 0 && header !== 1) return null;
    final = header === 1;
    const length = (bytes[at + 1] ?? 0) | ((bytes[at + 2] ?? 0) << 8);
    content += length;
    at += 5 + length;
  }
  return at + 4 <= bytes.length ? { content, consumed: at + 4 } : null;
}

/**
 * Reads a stream that consists of stored blocks only. Null when it does not, is cut off, has another length than
 * `size`, or fails its checksum.
 */
export function readStored(bytes: Uint8Array, size: number): Uint8Array | null {
  if (bytes[0] !== 0x78) return null;
  const result = new Uint8Array(size);
  let filled = 0;
  let at = 2;
  for (let final = false; !final; ) {
    const header = bytes[at];
    if (header !== 0 && header !== 1) return null;
    final = header === 1;
    const length = (bytes[at + 1] ?? 0) | ((bytes[at + 2] ?? 0) << 8);
    at += 5;
    if (filled + length > size || at + length + 4 > bytes.length) return null;
    result.set(bytes.subarray(at, at + length), filled);
    filled += length;
    at += length;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4);
  return filled === size && view.getUint32(0) === adler32(result, 0, size) ? result : null;
}
