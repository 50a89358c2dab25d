// The end of a run, and pauses that it cuts short, for agents by the thousand: a signal of the platform looks through all
// its listeners whenever one is added.

/** Told once that the run is over. */
export class RunEnd {
  readonly #pausing = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves after a while, or when the run is over. */
  pause(durationMs: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#pausing.delete(end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      this.#pausing.add(end);
    });
  }

  /** The run is over. */
  end(): void {
    this.#isOver = true;
    for (const end of [...this.#pausing]) end();
  }
}
