// A growing list of measured numbers, with exact percentiles.

/** Numbers in the order in which they came, eight bytes each. */
export class Samples {
  #values = new Float64Array(1_024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  /** The values at the given shares by nearest rank, 0 where there is no value. */
  percentiles(shares: readonly number[]): number[] {
    const sorted = this.#values.slice(0, this.#count).sort();
    return shares.map((share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
  }
}
