// Memory for the pieces of directories: many small byte strings cut from few buffers.
//
// A buffer of its own for each piece costs more than everything that is done with it. The price is that one piece
// keeps its whole buffer alive, so buffers are small: a dozen pieces at most.

/** Size of the buffers that are shared. */
const bufferBytes = 16_384;
/** Pieces larger than this get a buffer of their own. */
const sharedBytesMax = 4096;

let buffer = new Uint8Array(0);
let used = 0;

/** Bytes for a piece, all zero. */
export function pieceBytes(length: number): Uint8Array {
  if (length > sharedBytesMax) return new Uint8Array(length);
  if (used + length > buffer.length) {
    buffer = new Uint8Array(bufferBytes);
    used = 0;
  }
  used += length;
  return buffer.subarray(used - length, used);
}
