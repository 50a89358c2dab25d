// One row of a comparison: a policy at one number of agents, as means over the seeds with the range of each.
//
//   RS1. A row is a function of the tallies and of what the machine measured; it draws and rounds nothing else.

import type { PolicyName } from '../policy.ts';
import type { Tally } from './tally.ts';

/** What the machine needed for one run: measured, unlike everything else in a row. */
export type RunCost = {
  /** Steps of the simulation per second of processor time, so that what else the machine does leaves it alone. */
  readonly eventsPerSecond: number;
  /** Processor time of the simulation, all threads of its process. */
  readonly processorSeconds: number;
  /** Greatest resident memory of the process that ran it. */
  readonly rssMiB: number;
};

/** The figures of one run. */
export type RunFigures = RunCost & {
  readonly landedPerMin: number;
  readonly reworkPercent: number;
  readonly idlePercent: number;
  readonly timeToLandMs: { readonly p50: number; readonly p90: number; readonly p99: number };
  readonly sigmaMean: number;
  readonly waitP99Ms: number;
  readonly messagesPerLanding: number;
};

/** One row of the output of `bench sim`. Flat means, so that a row reads as one run does; the ranges lie beside them. */
export type ResultRow = RunFigures & {
  readonly policy: PolicyName;
  readonly agents: number;
  /** Least share of the work that a repair redoes. */
  readonly redoPercent: number;
  readonly seeds: readonly number[];
  /** Least and greatest value over the seeds, by the name of the figure; percentiles as `timeToLandMs.p50`. */
  readonly ranges: Readonly<Record<string, readonly [least: number, greatest: number]>>;
};

/** The figures of one tally. */
export function figuresOf(tally: Tally, cost: RunCost): RunFigures {
  const countedMs = tally.durationMs - tally.warmupMs;
  const [p50 = 0, p90 = 0, p99 = 0] = tally.timeToLandMs.percentiles([0.5, 0.9, 0.99]);
  return {
    landedPerMin: (tally.landings * 60_000) / countedMs,
    reworkPercent: tally.workMs === 0 ? 0 : (100 * tally.redoneMs) / tally.workMs,
    idlePercent: (100 * tally.idleMs) / (tally.agents * countedMs),
    timeToLandMs: { p50, p90, p99 },
    sigmaMean: tally.sigmaMean,
    waitP99Ms: tally.waitMs.percentiles([0.99])[0] ?? 0,
    messagesPerLanding: tally.landings === 0 ? 0 : tally.messages / tally.landings,
    ...cost,
  };
}

const figureReaders: Readonly<Record<string, (figures: RunFigures) => number>> = {
  landedPerMin: (figures) => figures.landedPerMin,
  reworkPercent: (figures) => figures.reworkPercent,
  idlePercent: (figures) => figures.idlePercent,
  'timeToLandMs.p50': (figures) => figures.timeToLandMs.p50,
  'timeToLandMs.p90': (figures) => figures.timeToLandMs.p90,
  'timeToLandMs.p99': (figures) => figures.timeToLandMs.p99,
  sigmaMean: (figures) => figures.sigmaMean,
  waitP99Ms: (figures) => figures.waitP99Ms,
  messagesPerLanding: (figures) => figures.messagesPerLanding,
  eventsPerSecond: (figures) => figures.eventsPerSecond,
  processorSeconds: (figures) => figures.processorSeconds,
  rssMiB: (figures) => figures.rssMiB,
};

/** What the runs of one row have in common. */
export type RowKey = Pick<ResultRow, 'policy' | 'agents' | 'redoPercent' | 'seeds'>;

/** The row of one policy at one number of agents, from its runs: one seed each, in the order of the seeds (RS1). */
export function rowOf(key: RowKey, runs: readonly RunFigures[]): ResultRow {
  const ranges: Record<string, readonly [number, number]> = {};
  const means: Record<string, number> = {};
  for (const [name, read] of Object.entries(figureReaders)) {
    const values = runs.map(read);
    means[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
    ranges[name] = [Math.min(...values), Math.max(...values)];
  }
  const mean = (name: string) => means[name] ?? 0;
  return {
    ...key,
    landedPerMin: mean('landedPerMin'),
    reworkPercent: mean('reworkPercent'),
    idlePercent: mean('idlePercent'),
    timeToLandMs: { p50: mean('timeToLandMs.p50'), p90: mean('timeToLandMs.p90'), p99: mean('timeToLandMs.p99') },
    sigmaMean: mean('sigmaMean'),
    waitP99Ms: mean('waitP99Ms'),
    messagesPerLanding: mean('messagesPerLanding'),
    eventsPerSecond: mean('eventsPerSecond'),
    processorSeconds: mean('processorSeconds'),
    rssMiB: mean('rssMiB'),
    ranges,
  };
}
