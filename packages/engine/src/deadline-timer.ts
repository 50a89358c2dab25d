// The timer for what time alone does to a colony: leases run out, claims fade, σ is looked at again.
//
// Knows when, from the core; knows nothing of what is due.

import { nextDeadline } from '@firetrident/core';
import type { Clock } from './ports.ts';
import type { Session } from './session.ts';

/** One timer, set for the next deadline of the state. */
export class DeadlineTimer {
  readonly #clock: Clock;
  /** The session that serves; null while there is none. */
  readonly #session: () => Session | null;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, session: () => Session | null) {
    this.#clock = clock;
    this.#session = session;
  }

  /** Sets the timer anew; after every change of the state. */
  watch(): void {
    this.cancel();
    const session = this.#session();
    const deadline = session === null ? null : nextDeadline(session.state);
    if (deadline === null) return;
    const delayMs = Math.max(0, deadline - this.#clock.now());
    this.#cancel = this.#clock.after(delayMs, () => {
      if (session !== null && this.#session() === session && !session.over) session.submit({ kind: 'tick' });
      this.watch();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
