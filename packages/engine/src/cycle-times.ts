// How long the last cycles took, phase by phase.
//
// Bounded: the figures of a fixed number of cycles are kept.

import type { CycleFigures } from './colony.ts';
import type { RoomFigures } from './trunk-service.ts';

/** Cycles whose figures are kept. */
const figureWindow = 128;

/** One cycle. */
export interface PhaseTimes extends Pick<RoomFigures, 'buildMs' | 'verifyMs'> {
  readonly planMs: number;
  readonly writeMs: number;
  readonly refsMs: number;
  readonly journalMs: number;
  readonly cycleMs: number;
  /** Sum over the cycle's proposals of their wait in the queue. */
  readonly queuedMs: number;
  readonly proposals: number;
  /** Proposals of each batch. */
  readonly batches: readonly number[];
}

type Verdicts = Pick<RoomFigures, 'verdictsRecalled' | 'verdictsFound'>;

/** The figures of the last cycles. */
export class CycleTimes {
  readonly #times: PhaseTimes[] = [];
  #verdicts: Verdicts = { verdictsRecalled: 0, verdictsFound: 0 };

  note(times: PhaseTimes, { verdictsRecalled, verdictsFound }: Verdicts): void {
    this.#times.push(times);
    if (this.#times.length > figureWindow) this.#times.shift();
    this.#verdicts = { verdictsRecalled, verdictsFound };
  }

  get figures(): CycleFigures {
    const count = this.#times.length;
    const sum = (of: (times: PhaseTimes) => number) => this.#times.reduce((all, times) => all + of(times), 0);
    const mean = (of: (times: PhaseTimes) => number) => (count === 0 ? 0 : sum(of) / count);
    const proposals = sum((times) => times.proposals);
    return {
      cycles: count,
      queueWaitMs: proposals === 0 ? 0 : sum((times) => times.queuedMs) / proposals,
      planMs: mean((times) => times.planMs),
      buildMs: mean((times) => times.buildMs),
      verifyMs: mean((times) => times.verifyMs),
      writeMs: mean((times) => times.writeMs),
      refsMs: mean((times) => times.refsMs),
      journalMs: mean((times) => times.journalMs),
      cycleMs: mean((times) => times.cycleMs),
      cycleMsP50: median(this.#times.map((times) => times.cycleMs)),
      proposalsPerCycle: mean((times) => times.proposals),
      batchSizeP50: median(this.#times.flatMap((times) => times.batches)),
      ...this.#verdicts,
    };
  }
}

/** The upper one of two in the middle; 0 of none. */
function median(figures: readonly number[]): number {
  return [...figures].sort((left, right) => left - right)[Math.floor(figures.length / 2)] ?? 0;
}
