// Applying git's deltas: instructions that build an object from pieces of a base and literal bytes.

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readSize(cursor: Cursor): number {
  let size = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = cursor.bytes[cursor.at] ?? 0;
    cursor.at += 1;
    size += (byte & 0x7f) * scale;
    if (byte < 0x80) return size;
  }
}

function readSparse(cursor: Cursor, opcode: number, firstBit: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index += 1) {
    if ((opcode & (1 << (firstBit + index))) === 0) continue;
    value += (cursor.bytes[cursor.at] ?? 0) * 256 ** index;
    cursor.at += 1;
  }
  return value;
}

/** The object that `delta` makes of `base`, or null when the delta is malformed or belongs to another base. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array | null {
  const cursor: Cursor = { bytes: delta, at: 0 };
  if (readSize(cursor) !== base.length) return null;
  const result = new Uint8Array(readSize(cursor));
  let filled = 0;
  while (cursor.at < delta.length) {
    const opcode = delta[cursor.at] as number;
    cursor.at += 1;
    let piece: Uint8Array;
    if (opcode >= 0x80) {
      const offset = readSparse(cursor, opcode, 0, 4);
      const length = readSparse(cursor, opcode, 4, 3) || 0x10000;
      if (offset + length > base.length) return null;
      piece = base.subarray(offset, offset + length);
    } else {
      if (opcode === 0 || cursor.at + opcode > delta.length) return null;
      piece = delta.subarray(cursor.at, cursor.at + opcode);
      cursor.at += opcode;
    }
    if (filled + piece.length > result.length) return null;
    result.set(piece, filled);
    filled += piece.length;
  }
  return filled === result.length ? result : null;
}
