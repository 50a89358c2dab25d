// How long undisturbed work takes: log-normal, as times of people and programs at work mostly are.
//
//   WT1. Times are drawn from a stream of their own, so that what else is drawn never shifts them.

import type { RandomStream } from '@firetrident/base';

/** The distribution of work. */
export type WorkTime = {
  readonly medianMs: number;
  /** Standard deviation of the logarithm: 0 gives the median always; 0.6 puts one task of ten above 2.2 medians. */
  readonly spread: number;
};

/** Work of the usual comparison: a minute in the median, 72 seconds in the mean. */
export const usualWorkTime: WorkTime = { medianMs: 60_000, spread: 0.6 };

/** Draws one time in milliseconds, of work or of a cycle. Normal draws by the polar form of Box and Muller's transform. */
export function drawWorkMs(random: RandomStream, time: WorkTime): number {
  // A draw of 0 has no logarithm; 1 − draw lies in (0, 1].
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  const normal = radius * Math.cos(2 * Math.PI * random.next());
  return time.medianMs * Math.exp(time.spread * normal);
}
