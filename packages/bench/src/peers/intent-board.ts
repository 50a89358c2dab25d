// The open intents of a peer: taken in order, or as locks allow.
//
//   IB1. The same seed gives the same intents in the same order as the live driver's.
//   IB2. With locks nobody holds an intent whose file somebody else holds. A take looks at every open intent, the oldest first;
//        who finds nothing waits until a lock is given back.

import type { LivePlan } from '../live/plan.ts';
import { type IntentDraft, IntentDraws } from '../live/workload.ts';

/** Where agents find work. */
export interface IntentBoard {
  take(): Promise<IntentDraft>;
  /** The intent is on trunk. */
  done(intent: IntentDraft): void;
}

/** Intents in order, whatever they write. */
export class OrderedBoard implements IntentBoard {
  readonly #draws: IntentDraws;

  constructor(plan: LivePlan) {
    this.#draws = new IntentDraws(plan);
  }

  async take(): Promise<IntentDraft> {
    return this.#draws.next();
  }

  done(): void {
    // Nothing was held.
  }
}

/** Intents whose files are locked (IB2). */
export class LockedBoard implements IntentBoard {
  readonly #draws: IntentDraws;
  readonly #openAtMost: number;
  readonly #held = new Set<string>();
  /** Open intents whose file is held, by file, the oldest first. */
  readonly #parked = new Map<string, IntentDraft[]>();
  /** Open intents whose file was given back. */
  readonly #free: IntentDraft[] = [];
  readonly #waiting: ((intent: IntentDraft) => void)[] = [];
  #open = 0;

  constructor(plan: LivePlan) {
    this.#draws = new IntentDraws(plan);
    this.#openAtMost = plan.openIntents;
  }

  take(): Promise<IntentDraft> {
    const intent = this.#find();
    if (intent !== null) return Promise.resolve(intent);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  done({ paths: [path] }: IntentDraft): void {
    this.#held.delete(path);
    const next = this.#parked.get(path)?.shift();
    if (next !== undefined) this.#free.push(next);
    while (this.#waiting.length > 0) {
      const intent = this.#find();
      if (intent === null) return;
      this.#waiting.shift()?.(intent);
    }
  }

  #find(): IntentDraft | null {
    for (let intent = this.#free.shift(); intent !== undefined; intent = this.#free.shift()) {
      if (this.#hold(intent)) return intent;
    }
    while (this.#open < this.#openAtMost) {
      const intent = this.#draws.next();
      this.#open += 1;
      if (this.#hold(intent)) return intent;
    }
    return null;
  }

  /** Takes the lock, or leaves the intent beside it. */
  #hold(intent: IntentDraft): boolean {
    const [path] = intent.paths;
    if (this.#held.has(path)) {
      this.#parked.set(path, [...(this.#parked.get(path) ?? []), intent]);
      return false;
    }
    this.#held.add(path);
    this.#open -= 1;
    return true;
  }
}
