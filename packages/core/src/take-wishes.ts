// Shelves of buckets by label and folder, for takes that name what they want.
//
// Most colonies are never asked for work by label or path, so nothing is kept until the first time.
//
//   TW1. What is found is the same whenever the shelves were made: they follow from the buckets alone.

import { defined } from '@firetrident/base';
import { type Bucket, Shelf } from './take-shelves.ts';

/** Folders below this depth share the shelf of their ancestor. */
const shelfDepth = 8;

/** The shelves by label and folder, made when first asked for (TW1). */
export class WishShelves {
  readonly #buckets: () => Iterable<Bucket>;
  #shelves: Map<string, Shelf> | null = null;

  /** `buckets` gives all that stand. */
  constructor(buckets: () => Iterable<Bucket>) {
    this.#buckets = buckets;
  }

  /** The shelf with a key; undefined when nothing stands there. */
  get(key: string): Shelf | undefined {
    if (this.#shelves === null) {
      this.#shelves = new Map();
      for (const bucket of this.#buckets()) this.place(bucket);
    }
    return this.#shelves.get(key);
  }

  /** The bucket stands: on the free or the contended side of its shelves. */
  place(bucket: Bucket): void {
    if (this.#shelves === null) return;
    for (const key of this.keysOf(bucket)) {
      let shelf = this.#shelves.get(key);
      if (shelf === undefined) {
        shelf = new Shelf(key);
        this.#shelves.set(key, shelf);
      }
      (bucket.claims > 0 ? shelf.contended : shelf.free).add(bucket);
    }
  }

  /** The bucket is taken off, before anything that orders it changes. */
  withdraw(bucket: Bucket): void {
    if (this.#shelves === null) return;
    for (const key of this.keysOf(bucket)) {
      const shelf = defined(this.#shelves.get(key), `the shelf ${key}`);
      (bucket.claims > 0 ? shelf.contended : shelf.free).delete(bucket);
      if (shelf.free.size + shelf.contended.size === 0) this.#shelves.delete(key);
    }
  }

  /** Keys of the shelves that a bucket stands on. */
  keysOf({ patterns, labels }: Bucket): Set<string> {
    const keys = new Set(labels.map(labelShelf));
    for (const { root } of patterns) {
      for (let depth = Math.min(root.length, shelfDepth); depth >= 0; depth -= 1) {
        keys.add(folderShelf(root.slice(0, depth)));
      }
    }
    return keys;
  }
}

/** Key of the shelf of all buckets with a label. */
export function labelShelf(label: string): string {
  return `label ${label}`;
}

/** Key of the shelf of all buckets that predict something at or below the folder of a pattern's root. */
export function folderShelf(root: readonly string[]): string {
  return `folder ${root.slice(0, shelfDepth).join('/')}`;
}
