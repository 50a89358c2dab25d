// What a live run says of its cycles: how much they vary (CF6), and how long they take to become durable (CF7).

import type { LiveResult } from '../live/result.ts';
import type { LivePoint } from './fit.ts';

type Run = Pick<LiveResult, 'seconds' | 'countedFromMs' | 'countedMs' | 'trunkCycle'>;

/** The shape of a run's cycles. */
export function cycleShapeOf(run: Run): Pick<LivePoint, 'cycleSpread' | 'durableShare'> {
  const { cycleMs, journalMs } = run.trunkCycle;
  return { cycleSpread: spreadOf(run), durableShare: cycleMs > journalMs ? journalMs / (cycleMs - journalMs) : 0 };
}

/**
 * Standard deviation of the logarithm of a cycle's time, by the landings of the counted whole seconds: with so many cycles in a second, the second
 * varies by the root of their number less than each of them. Seconds are taken as independent; with few agents they vary by the agents too.
 * 0 where nothing landed.
 */
function spreadOf({ seconds, countedFromMs, countedMs, trunkCycle }: Run): number {
  const landed = seconds
    .filter(({ second }) => second * 1_000 >= countedFromMs && (second + 1) * 1_000 <= countedFromMs + countedMs)
    .map((each) => each.landed);
  const mean = landed.reduce((sum, each) => sum + each, 0) / landed.length;
  if (!(mean > 0) || trunkCycle.proposalsPerCycle <= 0) return 0;
  const variance = landed.reduce((sum, each) => sum + (each - mean) ** 2, 0) / landed.length;
  const cycles = Math.max(1, mean / trunkCycle.proposalsPerCycle);
  // Of a log-normal, the squared coefficient of variation is exp(spread²) − 1.
  return Math.sqrt(Math.log1p((variance / mean ** 2) * cycles));
}
