// Trees that the verifier has seen and hashed itself, kept from one cycle to the next.
//
// Most folders that a cycle changes were changed by an earlier one, whose verification computed their ids. Keeping a copy
// of its own saves fetching and hashing them again, and believes nobody.
//
// The copies lie one behind another in one buffer that is used again and again: fresh memory costs more than all that is
// done with it.
//
// Invariants:
//   VT1. What is kept is a copy, under an id that was computed from these very bytes.
//   VT2. What `get` answered stays as it is until the next `keep`.

import { IdMap } from './verify-id.ts';

/** Bytes kept at most; beyond them everything is forgotten at once. */
const memoryBytesMax = 4_194_304;

/** Contents of tree objects by id (VT1, VT2). */
export class VerifiedTrees {
  readonly #bytesMax: number;
  #trees = new IdMap<Uint8Array>();
  #bytes = new Uint8Array(0);
  #used = 0;

  constructor(bytesMax = memoryBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** The content of the tree whose id lies in `bytes` at `at`. */
  get(bytes: Uint8Array, at: number): Uint8Array | undefined {
    return this.#trees.get(bytes, at);
  }

  /** Keeps a copy of a tree whose id the verifier computed. */
  keep(id: Uint8Array, content: Uint8Array): void {
    if (this.#trees.get(id, 0) || content.length > this.#bytesMax) return;
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#bytesMax);
    if (this.#used + content.length > this.#bytesMax) {
      this.#trees = new IdMap();
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += content.length;
    this.#bytes.set(content, start);
    this.#trees.set(id.slice(), this.#bytes.subarray(start, this.#used));
  }
}
