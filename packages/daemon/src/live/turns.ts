// Messages that come together are answered in turns, so that what else waits for the thread, a cycle first of all, is not behind
// hundreds of them.
//
//   CT1. What came first begins first.
//   CT2. Nothing more begins in a turn of the event loop after a bounded time; the rest follows in the next ones.
//   CT3. A bounded number waits. With each one more the oldest begins at once, so that reading waits for answering again.

/** Time of a turn within which messages are begun. */
const turnMs = 5;
/** What may wait (CT3). */
export const waitingAtMost = 512;

/** The turns of one thread. `elapsed` tells milliseconds since any moment. */
export class Turns {
  readonly #elapsed: () => number;
  /** What waits for a later turn, the oldest first. */
  readonly #waiting: (() => void)[] = [];
  /** When the present turn is over; null before its first message. */
  #endsAt: number | null = null;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Begins the work now, or in a later turn. It does not throw. */
  begin(work: () => void): void {
    const now = this.#elapsed();
    if (this.#endsAt === null) this.#open(now);
    if (this.#waiting.length === 0 && now < (this.#endsAt ?? now)) {
      work();
      return;
    }
    this.#waiting.push(work);
    if (this.#waiting.length > waitingAtMost) this.#waiting.shift()?.(); // (CT3)
  }

  /** A turn that goes on until the loop has seen what else is ready. */
  #open(now: number): void {
    this.#endsAt = now + turnMs;
    setImmediate(() => this.#next());
  }

  /** (CT1, CT2) */
  #next(): void {
    this.#endsAt = null;
    if (this.#waiting.length === 0) return;
    this.#open(this.#elapsed());
    const endsAt = this.#endsAt ?? 0;
    while (this.#waiting.length > 0 && this.#elapsed() < endsAt) this.#waiting.shift()?.();
  }
}
