// A cache bounded by bytes that forgets what was not used for longest.

/** Least-recently-used cache. A value larger than an eighth of the bound is not kept. */
export class ByteCache<K, V> {
  readonly #bytesMax: number;
  readonly #sizeOf: (value: V) => number;
  readonly #values = new Map<K, V>();
  #bytes = 0;

  constructor(bytesMax: number, sizeOf: (value: V) => number) {
    this.#bytesMax = bytesMax;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (size > this.#bytesMax / 8) return;
    this.#values.set(key, value);
    this.#bytes += size;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#bytes -= this.#sizeOf(value);
    this.#values.delete(key);
  }
}
