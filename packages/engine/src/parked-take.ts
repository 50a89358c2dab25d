// A take that waits: for work, or only for its turn. Thousands of them wait at a time, so what one costs in memory counts.
//
//   PT1. It is answered once: by its desk, or when its client goes.

import { ok, type Result } from '@firetrident/base';
import type { ColonyRefusal, TakeAnswer, TakeRequest } from './colony.ts';

/** What a take comes to. */
export type TakeOutcome = Result<TakeAnswer, ColonyRefusal>;

/** What is answered when nobody hears it. */
export const unheard: TakeAnswer = { kind: 'wait', reason: 'no open intent', retryAfterMs: 1_000 };

/** Hears of its client's end by itself: `handleEvent` is what an AbortSignal calls. */
export class ParkedTake {
  readonly request: TakeRequest;
  /** Since when it has waited for work; null while it only waits for its turn. */
  since: number | null;
  /** When it was last tried and found nothing. */
  triedAt = -1;
  readonly answer: (outcome: TakeOutcome) => void;
  readonly #unpark: (parked: ParkedTake) => void;
  readonly #cancelTimeOut: () => void;

  /** `unpark` takes it from its desk; `timeOut` begins its time and gives the way to end that. */
  constructor(
    request: TakeRequest,
    since: number | null,
    answer: (outcome: TakeOutcome) => void,
    unpark: (parked: ParkedTake) => void,
    timeOut: (parked: ParkedTake) => () => void,
  ) {
    this.request = request;
    this.since = since;
    this.answer = answer;
    this.#unpark = unpark;
    this.#cancelTimeOut = timeOut(this);
    request.gone?.addEventListener('abort', this);
  }

  /** Its client has gone (PT1). */
  handleEvent(): void {
    this.#unpark(this);
    this.answer(ok(unheard));
  }

  /** Neither time nor its client's end ends it any more. */
  cancel(): void {
    this.#cancelTimeOut();
    this.request.gone?.removeEventListener('abort', this);
  }
}
