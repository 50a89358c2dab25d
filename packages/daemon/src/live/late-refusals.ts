// Refusals of openings that are told after a while: whoever comes back upon each one comes back once a second, not at once.
//
//   LR1. A bounded number of refusals waits; what comes beyond it is told at once. At the end all are told.

import type { Duplex } from 'node:stream';
import type { ErrorFacts } from '@firetrident/protocol';
import { refuseRaw } from '../raw-refusal.ts';

/** How long a refusal waits: as long as it takes until an agent may open one socket more, if it has few (OP1). */
const usualWaitMs = 1_000;
/** How many wait (LR1). */
export const waitingRefusals = 1_024;

/** The refusals of one daemon that wait. */
export class LateRefusals {
  readonly #waitMs: number;
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  constructor(waitMs = usualWaitMs) {
    this.#waitMs = waitMs;
  }

  /** Tells the error later, or now; takes over the stream. */
  refuse(stream: Duplex, error: ErrorFacts): void {
    if (this.#waiting.size >= waitingRefusals) {
      refuseRaw(stream, error);
      return;
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      refuseRaw(stream, error);
    }, this.#waitMs);
    this.#waiting.set(timer, () => refuseRaw(stream, error));
  }

  /** Tells all that wait (LR1). */
  close(): void {
    for (const [timer, tell] of this.#waiting) {
      clearTimeout(timer);
      tell();
    }
    this.#waiting.clear();
  }
}
