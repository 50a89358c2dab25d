// Trees that the verifier has seen and hashed itself, kept from one cycle to the next.
//
// Most folders that a cycle changes were changed by an earlier one, whose verification computed their ids. Keeping a copy
// of its own saves fetching and hashing them again, and believes nobody.
//
// Invariants:
//   VT1. What is kept is a copy, under an id that was computed from these very bytes.

import { IdMap } from './verify-id.ts';

/** Bytes kept at most; beyond them everything is forgotten at once. */
const memoryBytesMax = 16_777_216;

/** Contents of tree objects by id (VT1). */
export class VerifiedTrees {
  #trees = new IdMap<Uint8Array>();
  #bytes = 0;

  /** The content of the tree whose id lies in `bytes` at `at`. */
  get(bytes: Uint8Array, at: number): Uint8Array | undefined {
    return this.#trees.get(bytes, at);
  }

  /** Keeps a copy of a tree whose id the verifier computed. */
  keep(id: Uint8Array, content: Uint8Array): void {
    if (this.#trees.get(id, 0)) return;
    if (this.#bytes + content.length > memoryBytesMax) {
      this.#trees = new IdMap();
      this.#bytes = 0;
    }
    this.#trees.set(id.slice(), content.slice());
    this.#bytes += content.length;
  }
}
