// Messages that come together are answered in turns, so that what else waits for the thread, a cycle first of all, is not behind
// hundreds of them.
//
//   CT1. What came first begins first.
//   CT2. Nothing more begins in a turn of the event loop after a bounded time; the rest follows in the next ones. The time is as long as the
//        loop did other things since the last turn, within bounds: who keeps the loop busy with those takes no more than half of it.
//   CT3. A bounded number waits. With each one more the oldest begins at once, so that reading waits for answering again.

/** Shortest and longest time of a turn within which messages are begun (CT2). */
export const turnMs = { shortest: 5, longest: 20 } as const;
/** What may wait (CT3). */
export const waitingAtMost = 512;

/** The turns of one thread. `elapsed` tells milliseconds since any moment. */
export class Turns {
  readonly #elapsed: () => number;
  /** What waits for a later turn, the oldest first. */
  readonly #waiting: (() => void)[] = [];
  /** When the present turn is over; null before its first message. */
  #endsAt: number | null = null;
  /** When the last message so far was begun and done with. */
  #doneAt = Number.NEGATIVE_INFINITY;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Begins the work now, or in a later turn. It does not throw. */
  begin(work: () => void): void {
    const now = this.#elapsed();
    if (this.#endsAt === null) this.#open(now);
    if (this.#waiting.length === 0 && now < (this.#endsAt ?? now)) {
      this.#do(work);
      return;
    }
    this.#waiting.push(work);
    if (this.#waiting.length > waitingAtMost) this.#do(this.#waiting.shift()); // (CT3)
  }

  #do(work: (() => void) | undefined): void {
    work?.();
    this.#doneAt = this.#elapsed();
  }

  /** A turn that goes on until the loop has seen what else is ready. */
  #open(now: number): void {
    this.#endsAt = now + Math.min(turnMs.longest, Math.max(turnMs.shortest, now - this.#doneAt));
    setImmediate(() => this.#next());
  }

  /** (CT1, CT2) */
  #next(): void {
    this.#endsAt = null;
    if (this.#waiting.length === 0) return;
    this.#open(this.#elapsed());
    const endsAt = this.#endsAt ?? 0;
    while (this.#waiting.length > 0 && this.#elapsed() < endsAt) this.#do(this.#waiting.shift());
  }
}
