// A cache bounded by bytes that forgets what was not used for some time.
//
// Two generations: what is set or got is in the younger one, and when that is half full it becomes the older one and
// what was the older is forgotten. Unlike an exact order of use this costs nothing per look-up.

/** Cache of bounded size. A value larger than an eighth of the bound is not kept. */
export class ByteCache<K, V> {
  readonly #bytesMax: number;
  readonly #sizeOf: (value: V) => number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();
  #youngerBytes = 0;

  constructor(bytesMax: number, sizeOf: (value: V) => number) {
    this.#bytesMax = bytesMax;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const value = this.#younger.get(key);
    if (value !== undefined) return value;
    const aged = this.#older.get(key);
    if (aged !== undefined) this.#add(key, aged);
    return aged;
  }

  set(key: K, value: V): void {
    const replaced = this.#younger.get(key);
    if (replaced !== undefined) this.#youngerBytes -= this.#sizeOf(replaced);
    if (this.#sizeOf(value) > this.#bytesMax / 8) {
      this.#younger.delete(key);
      this.#older.delete(key);
    } else {
      this.#add(key, value);
    }
  }

  #add(key: K, value: V): void {
    this.#younger.set(key, value);
    this.#youngerBytes += this.#sizeOf(value);
    if (this.#youngerBytes * 2 <= this.#bytesMax) return;
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#youngerBytes = 0;
  }
}
