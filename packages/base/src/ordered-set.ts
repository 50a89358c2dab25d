// A set kept in an order that the caller gives: the smallest element is always at hand.
//
// Elements lie in blocks of bounded size, so adding and removing cost O(log n) comparisons and one short move of
// memory, and walking from the smallest costs nothing more than the walk.
//
//   OS1. Walking gives every element once, in order.
//   OS2. Two elements that compare as 0 are the same element; the order of an element must not change while it is in.

const blockSize = 128;

/** Ordered set. `compare` must be a total order. */
export class OrderedSet<T> {
  #blocks: T[][] = [];
  #size = 0;
  readonly #compare: (left: T, right: T) => number;

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** The smallest element, or undefined when the set is empty. */
  first(): T | undefined {
    return this.#blocks[0]?.[0];
  }

  /** Adds `item`; false when it was there already, and then nothing changes. */
  add(item: T): boolean {
    const blockIndex = Math.min(this.#blockOf(item), this.#blocks.length - 1);
    const block = this.#blocks[blockIndex];
    if (block === undefined) {
      this.#blocks.push([item]);
      this.#size = 1;
      return true;
    }
    const index = this.#placeIn(block, item);
    if (index < block.length && this.#compare(block[index] as T, item) === 0) return false;
    block.splice(index, 0, item);
    this.#size += 1;
    if (block.length > blockSize) this.#blocks.splice(blockIndex + 1, 0, block.splice(blockSize >> 1));
    return true;
  }

  /** Removes `item`; false when it was not there. */
  delete(item: T): boolean {
    const blockIndex = this.#blockOf(item);
    const block = this.#blocks[blockIndex];
    if (block === undefined) return false;
    const index = this.#placeIn(block, item);
    if (index >= block.length || this.#compare(block[index] as T, item) !== 0) return false;
    block.splice(index, 1);
    this.#size -= 1;
    if (block.length === 0) this.#blocks.splice(blockIndex, 1);
    return true;
  }

  has(item: T): boolean {
    const block = this.#blocks[this.#blockOf(item)];
    if (block === undefined) return false;
    const index = this.#placeIn(block, item);
    return index < block.length && this.#compare(block[index] as T, item) === 0;
  }

  /** Walks in order (OS1). The set must not change during the walk. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (const block of this.#blocks) yield* block;
  }

  /** Index of the first block whose last element is not before `item`; the number of blocks when there is none. */
  #blockOf(item: T): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.#blocks[middle] as T[];
      if (this.#compare(block[block.length - 1] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #placeIn(block: readonly T[], item: T): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(block[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
