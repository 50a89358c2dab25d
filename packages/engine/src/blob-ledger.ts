// Who still needs which staged blob.
//
// A staged blob's bytes are in the journal and in the room until a landing or a preserved commit holds them. Holders
// are proposals, preserved contents, requests under way and uploads.
//
// Invariants:
//   BL1. A blob is released exactly when its last holder lets go.
//   BL2. `stagedBytes` is the size of all blobs that were staged and not released.
//   BL3. The bytes of a staged blob are here until they go to the journal with the first thing that is answered for
//        them, whoever brought them.

import type { Oid } from '@firetrident/base';

/** Counts of holders per staged blob. */
export class BlobLedger {
  readonly #holders = new Map<Oid, number>();
  readonly #held = new Map<string, readonly Oid[]>();
  readonly #sizes = new Map<Oid, number>();
  /** Staged bytes that the journal has not been given yet (BL3). */
  readonly #unsaved = new Map<Oid, Uint8Array>();
  #stagedBytes = 0;

  /** Bytes of the blobs that are staged now (BL2). */
  get stagedBytes(): number {
    return this.#stagedBytes;
  }

  /** Counts a blob's bytes until it is released; counting one twice changes nothing. */
  count(oid: Oid, bytes: number): void {
    if (this.#sizes.has(oid)) return;
    this.#sizes.set(oid, bytes);
    this.#stagedBytes += bytes;
  }

  /** Counts the bytes of a held blob and keeps them for the journal, unless it has them already (BL3). */
  put(oid: Oid, bytes: Uint8Array): void {
    if (this.#sizes.has(oid)) return;
    this.count(oid, bytes.length);
    this.#unsaved.set(oid, bytes);
  }

  /** Takes out those of the blobs that the journal has not been given yet (BL3). */
  takeUnsaved(oids: Iterable<Oid>): { readonly oid: Oid; readonly bytes: Uint8Array }[] {
    const taken: { oid: Oid; bytes: Uint8Array }[] = [];
    for (const oid of oids) {
      const bytes = this.#unsaved.get(oid);
      if (bytes === undefined) continue;
      this.#unsaved.delete(oid);
      taken.push({ oid, bytes });
    }
    return taken;
  }

  /** Marks blobs as needed by `holder`, which must not hold anything yet. */
  hold(holder: string, oids: readonly Oid[]): void {
    if (oids.length === 0 || this.#held.has(holder)) return;
    this.#held.set(holder, oids);
    for (const oid of oids) this.#holders.set(oid, (this.#holders.get(oid) ?? 0) + 1);
  }

  /** Ends a holder's need; answers the blobs that nobody needs any more (BL1). */
  release(holder: string): Oid[] {
    const oids = this.#held.get(holder);
    if (oids === undefined) return [];
    this.#held.delete(holder);
    const free: Oid[] = [];
    for (const oid of oids) {
      const left = (this.#holders.get(oid) ?? 1) - 1;
      if (left > 0) this.#holders.set(oid, left);
      else {
        this.#holders.delete(oid);
        this.#stagedBytes -= this.#sizes.get(oid) ?? 0;
        this.#sizes.delete(oid);
        this.#unsaved.delete(oid);
        free.push(oid);
      }
    }
    return free;
  }

  isHeld(oid: Oid): boolean {
    return this.#holders.has(oid);
  }
}
