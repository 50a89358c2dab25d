// A bounded number of places, and a bounded line of those who wait for one.
//
//   SL1. Never more hold a place than there are, and they get it in the order in which they came.
//   SL2. "Full" is an answer: who finds the line full, or waits too long, gets none.
//   SL3. Who leaves the line gets no place, and nobody loses one by it.

/** Places for work of one kind. */
export class Slots {
  readonly #places: number;
  readonly #lineMax: number;
  readonly #waitMs: number;
  #taken = 0;
  readonly #line = new Set<(got: boolean) => void>();

  constructor(bounds: { readonly places: number; readonly line: number; readonly waitMs: number }) {
    this.#places = bounds.places;
    this.#lineMax = bounds.line;
    this.#waitMs = bounds.waitMs;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Waits for a place; answers how to give it back, or null when there is none to be had (SL1, SL2). */
  async enter(gone: AbortSignal): Promise<(() => void) | null> {
    if (gone.aborted) return null;
    if (this.#taken < this.#places) {
      this.#taken += 1;
      return this.#leaver();
    }
    if (this.#line.size >= this.#lineMax) return null;
    const got = await this.#stand(gone);
    return got ? this.#leaver() : null;
  }

  #stand(gone: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      // (SL3)
      const settle = (got: boolean) => {
        this.#line.delete(settle);
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        resolve(got);
      };
      const leave = () => settle(false);
      const timer = setTimeout(leave, this.#waitMs);
      gone.addEventListener('abort', leave, { once: true });
      this.#line.add(settle);
    });
  }

  /** Gives the place to the next in line, or back; once. */
  #leaver(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = this.#line;
      if (next === undefined) this.#taken -= 1;
      else next(true);
    };
  }
}
