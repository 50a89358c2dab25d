// Hashing directories, and the checksum that zlib wants of their content.

import type { Directory, DirectoryHasher, Piece } from './directory.ts';
import { copyContent } from './directory.ts';
import type { ObjectScratch } from './object-scratch.ts';

const modulus = 65521;

/** A hasher that puts content together in `scratch`, where it stays until the next object. */
export function directoryHasher(scratch: ObjectScratch): DirectoryHasher {
  return (directory) => {
    copyContent(directory, scratch.content(directory.length), 0);
    return scratch.hash('tree', directory.length);
  };
}

/**
 * Adler-32 of a sealed directory's content, from the sums of its pieces: only pieces that are new are read.
 * For content XY: sum = sumX + sumY, and each byte of X weighs once more per byte of Y.
 */
export function directoryChecksum(directory: Directory): number {
  let sum = 0;
  let weighted = 0;
  for (const piece of directory.pieces) {
    if (piece.sum < 0) computeSums(piece);
    weighted = (weighted + piece.bytes.length * sum + piece.weightedSum) % modulus;
    sum = (sum + piece.sum) % modulus;
  }
  const low = (1 + sum) % modulus;
  const high = (directory.length + weighted) % modulus;
  return ((high << 16) | low) >>> 0;
}

function computeSums(piece: Piece): void {
  const { bytes } = piece;
  let sum = 0;
  let weighted = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    sum += bytes[index] as number;
    weighted += sum;
    if ((index & 0x7ff) === 0x7ff) {
      sum %= modulus;
      weighted %= modulus;
    }
  }
  piece.sum = sum % modulus;
  piece.weightedSum = weighted % modulus;
}

/** Room for the contents of directories that are needed side by side for a short while, used again. */
export class ContentArena {
  #bytes = new Uint8Array(1 << 20);
  #used = 0;

  /** Gives up all contents. */
  clear(): void {
    this.#used = 0;
  }

  /** The content of a sealed directory, as it stays until the next `clear`. */
  put(directory: Directory): Uint8Array {
    if (this.#used + directory.length > this.#bytes.length) {
      // What was handed out stays in the old buffer.
      this.#bytes = new Uint8Array(Math.max(this.#bytes.length * 2, directory.length));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += directory.length;
    copyContent(directory, this.#bytes, start);
    return this.#bytes.subarray(start, this.#used);
  }
}
