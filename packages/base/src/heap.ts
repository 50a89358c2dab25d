// A binary heap: the smallest element first, by an order that the caller gives.

/** Priority queue. Pushing and popping cost O(log n). The order must be total for a deterministic result. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #compare: (left: T, right: T) => number;

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#compare(item, items[parent] as T) >= 0) break;
      items[index] = items[parent] as T;
      index = parent;
    }
    items[index] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return top;
  }

  #sink(item: T): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1] as T, items[child] as T) < 0) child += 1;
      if (this.#compare(items[child] as T, item) >= 0) break;
      items[index] = items[child] as T;
      index = child;
    }
    items[index] = item;
  }
}
