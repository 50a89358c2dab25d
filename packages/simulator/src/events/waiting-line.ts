// A line of numbers: who comes first goes first. Joining and leaving cost the same however long the line is.

/** A queue of small integers in a ring that doubles when it is full. */
export class WaitingLine {
  #ring: Int32Array = new Int32Array(64);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number at the front; undefined when nobody waits. */
  first(): number | undefined {
    return this.#size === 0 ? undefined : this.#ring[this.#head];
  }

  /** Joins at the end. */
  join(number: number): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) % this.#ring.length] = number;
    this.#size += 1;
  }

  /** The front leaves. */
  leave(): void {
    this.#head = (this.#head + 1) % this.#ring.length;
    this.#size -= 1;
  }

  #grow(): void {
    const larger = new Int32Array(this.#ring.length * 2);
    larger.set(this.#ring.subarray(this.#head));
    larger.set(this.#ring.subarray(0, this.#head), this.#ring.length - this.#head);
    this.#ring = larger;
    this.#head = 0;
  }
}
