// Memory for the pieces of directories: many small byte strings cut from few buffers.
//
// A buffer of its own for each piece costs more than everything that is done with it. The price is that one piece
// keeps its whole buffer alive, and pieces are replaced at random, so buffers are small: a handful of pieces. Of buffers with
// 30 pieces a quarter is in use on average, of those with 4 half: the mean life of a piece to that of the last of so many.

/** Size of the buffers that are shared. */
const bufferBytes = 2_048;
/** Pieces larger than this get a buffer of their own. */
const sharedBytesMax = 1_024;

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
