// What a live run found, in the fields under which it is written and compared.
//
//   LR1. Every figure is MEASURED on this machine in this run; nothing is filled in for what was not seen.

import { cpus, release, totalmem } from 'node:os';
import type { ColonyResponse } from '@firetrident/protocol';
import { type DaemonFigures, type DaemonMoment, daemonFigures, stageMeans } from './daemon-watch.ts';
import { Durations, type Percentiles } from './durations.ts';
import type { GitCrew, GitFigures } from './git-crew.ts';
import type { LoadResult } from './load-processes.ts';
import { countedSpan, type LivePlan } from './plan.ts';
import { type LoopPart, loopParts, sumCounts } from './tally.ts';

/** The machine and the runtime that a run was on. */
export interface BenchHost {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMiB: number;
  readonly kernel: string;
  readonly node: string;
}

/** One second of a run. */
export interface LiveSecond {
  readonly second: number;
  readonly landed: number;
  readonly rssMiB: number | null;
  readonly eventLoopMs: number | null;
}

/** One minute of a run, for long ones. */
export interface LiveMinute {
  readonly minute: number;
  readonly landed: number;
  /** Greatest resident memory of the minute. */
  readonly rssMiB: number;
  /** Median of the last cycles at its end. */
  readonly cycleMsP50: number;
  /** Packs of the repository at its end; null when it cannot be read from here. */
  readonly packs: number | null;
}

/** The result of a live run. Figures are of the counted span, unless their name begins with `total`. */
export interface LiveResult {
  readonly figures: 'MEASURED';
  readonly scenario: string;
  readonly agents: number;
  readonly startedAt: string;
  readonly plan: LivePlan;
  readonly countedFromMs: number;
  readonly countedMs: number;
  readonly landedPerMin: number;
  /** Of everybody, agents with git too. Null when the repository cannot be read from here. */
  readonly commitsPerMin: number | null;
  readonly timeToLandMs: Percentiles;
  readonly calls: number;
  readonly errors: number;
  readonly errorKinds: Readonly<Record<string, number>>;
  /** Proposals that came to an outcome. */
  readonly completed: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly stoppedEarly: boolean;
  readonly takeMs: Percentiles;
  readonly landed: number;
  readonly totalLanded: number;
  readonly totalCalls: number;
  readonly totalErrors: number;
  readonly totalErrorKinds: Readonly<Record<string, number>>;
  readonly batchSizeP50: number;
  /**
   * Mean milliseconds of a landing: `whole` as the agent sees it, from its proposal to the news of the landing; the stages
   * as the colony counts them; `outside` is the rest: the agent's process, the socket, and the way through the daemon's
   * thread. Null when nothing landed in the span.
   */
  readonly landingMs: Readonly<Record<string, number>> | null;
  readonly trunkCycle: {
    readonly cycleMs: number;
    readonly planMs: number;
    readonly buildMs: number;
    readonly verifyMs: number;
    readonly writeMs: number;
    readonly refsMs: number;
    readonly journalMs: number;
    readonly queueWaitMs: number;
    readonly proposalsPerCycle: number;
  };
  /** Reasons to wait with how often each was answered, most frequent first. */
  readonly topWaits: readonly { readonly reason: string; readonly count: number }[];
  readonly loopMs: Percentiles;
  /** Share of the agents' time that they spent waiting for work, 0 to 1. */
  readonly waitShare: number;
  /** Share of the agents' time by part of their loop, 0 to 1. */
  readonly loopShares: Readonly<Record<LoopPart, number>>;
  /** Outcomes that did not come on the socket in time. */
  readonly polled: number;
  readonly socketBreaks: number;
  readonly daemon: DaemonFigures;
  /** Processor time of the processes that carried the load, as a share of one core, over the whole run. */
  readonly loadCpuPercent: number;
  readonly seconds: readonly LiveSecond[];
  /** What agents saw that were stock git; null when there were none. */
  readonly git: GitFigures | null;
  /** Whole minutes of the run. */
  readonly minutes: readonly LiveMinute[];
  readonly host: BenchHost;
}

/** What a run leaves to be summed up. */
export interface LiveRecord {
  readonly scenario: string;
  readonly plan: LivePlan;
  readonly startedAt: Date;
  /** When the load ended, in milliseconds from its beginning. */
  readonly endedMs: number;
  readonly stoppedEarly: boolean;
  readonly loads: readonly LoadResult[];
  /** The daemon by the second over the whole run. */
  readonly moments: readonly DaemonMoment[];
  /** The cycles of the last seconds of the load. */
  readonly cycle: ColonyResponse['cycle'];
  readonly commits: number | null;
  /** What was looked at once a minute. */
  readonly looks: readonly MinuteLook[];
  /** The agents that were stock git, when they are at their end; null when there were none. */
  readonly crew: GitCrew | null;
}

/** A look at the colony at the end of a minute. */
export type MinuteLook = Pick<LiveMinute, 'minute' | 'cycleMsP50' | 'packs'>;

/** This machine. */
export function benchHost(): BenchHost {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryMiB: Math.round(totalmem() / 1_048_576),
    kernel: release(),
    node: process.version,
  };
}

/** Sums a run up. */
export function liveResult(record: LiveRecord): LiveResult {
  const { plan, cycle, loads, moments, endedMs } = record;
  const tallies = loads.map(({ tally }) => tally);
  const sum = (of: (tally: (typeof tallies)[number]) => number) => tallies.reduce((all, tally) => all + of(tally), 0);
  const [take, land, loop] = [new Durations(), new Durations(), new Durations()];
  for (const tally of tallies) {
    take.addAll(tally.take);
    land.addAll(tally.land);
    loop.addAll(tally.loop);
  }
  const { fromMs } = countedSpan(plan);
  const countedMs = Math.max(0, Math.min(endedMs, plan.durationMs) - fromMs);
  const perMin = (count: number) => (countedMs === 0 ? 0 : (count * 60_000) / countedMs);
  const partsMs = sumCounts(tallies.map((tally) => tally.partsMs)) as Record<LoopPart, number>;
  const loopShares = shares(partsMs);
  const counted = moments.filter(({ atMs }) => atMs >= fromMs - 500 && atMs <= plan.durationMs + 500);
  const outcomes = sumCounts(tallies.map((tally) => tally.outcomes));
  const waits = Object.entries(sumCounts(tallies.map((tally) => tally.waits)));
  const {
    cycles: _cycles,
    cycleMsP50: _median,
    batchSizeP50,
    verdictsFound: _found,
    verdictsRecalled: _recalled,
    ...trunkCycle
  } = cycle;
  return {
    figures: 'MEASURED',
    scenario: record.scenario,
    agents: plan.agents,
    startedAt: record.startedAt.toISOString(),
    plan,
    countedFromMs: fromMs,
    countedMs,
    landedPerMin: perMin(land.count),
    commitsPerMin: record.commits === null ? null : perMin(record.commits),
    timeToLandMs: land.percentiles,
    calls: sum((tally) => tally.calls),
    errors: sum((tally) => tally.errors),
    errorKinds: sumCounts(tallies.map((tally) => tally.errorKinds)),
    completed: Object.values(outcomes).reduce((all, count) => all + count, 0),
    outcomes,
    stoppedEarly: record.stoppedEarly,
    takeMs: take.percentiles,
    landed: land.count,
    totalLanded: sum((tally) => tally.allLanded),
    totalCalls: sum((tally) => tally.allCalls),
    totalErrors: sum((tally) => tally.allErrors),
    totalErrorKinds: sumCounts(tallies.map((tally) => tally.allErrorKinds)),
    batchSizeP50,
    landingMs: landingMeans(land, counted),
    trunkCycle,
    topWaits: waits.sort(([, left], [, right]) => right - left).map(([reason, count]) => ({ reason, count })),
    loopMs: loop.percentiles,
    waitShare: loopShares.wait,
    loopShares,
    polled: sum((tally) => tally.polled),
    socketBreaks: sum((tally) => tally.breaks),
    daemon: daemonFigures(counted),
    loadCpuPercent: (100_000 * loads.reduce((all, { cpuSeconds }) => all + cpuSeconds, 0)) / Math.max(1, endedMs),
    seconds: secondsOf(record),
    git: record.crew?.figures(countedMs) ?? null,
    minutes: minutesOf(record),
    host: benchHost(),
  };
}

/** `keep` goes on beside the queue and is no part of the sum. */
function landingMeans(land: Durations, moments: readonly DaemonMoment[]): Readonly<Record<string, number>> | null {
  const stages = stageMeans(moments);
  if (stages === null || land.count === 0) return null;
  const whole = land.sumMs / land.count;
  const inside = Object.entries(stages).reduce((sum, [stage, ms]) => (stage === 'keep' ? sum : sum + ms), 0);
  return { whole, outside: whole - inside, ...stages };
}

function shares(partsMs: Readonly<Record<LoopPart, number>>): Record<LoopPart, number> {
  const whole = loopParts.reduce((sum, part) => sum + partsMs[part], 0);
  const share = (part: LoopPart) => (whole === 0 ? 0 : partsMs[part] / whole);
  return {
    take: share('take'),
    wait: share('wait'),
    work: share('work'),
    propose: share('propose'),
    land: share('land'),
  };
}

function secondsOf({ loads, moments, endedMs }: LiveRecord): LiveSecond[] {
  return Array.from({ length: Math.floor(endedMs / 1_000) }, (_, second) => {
    const moment = moments.find(({ atMs }) => Math.floor(atMs / 1_000) === second);
    return {
      second,
      landed: loads.reduce((sum, { tally }) => sum + (tally.landedBySecond[second] ?? 0), 0),
      rssMiB: moment === undefined ? null : Math.round(moment.rssMiB),
      eventLoopMs: moment === undefined ? null : Math.round(moment.eventLoopMs),
    };
  });
}

function minutesOf({ loads, moments, looks }: LiveRecord): LiveMinute[] {
  return looks.map(({ minute, cycleMsP50, packs }) => {
    const isWithin = ({ atMs }: DaemonMoment) => Math.floor(atMs / 60_000) === minute;
    const landedOf = ({ tally }: LoadResult) => tally.landedBySecond.slice(60 * minute, 60 * (minute + 1));
    return {
      minute,
      landed: loads.flatMap(landedOf).reduce((sum, count) => sum + count, 0),
      rssMiB: Math.max(0, ...moments.filter(isWithin).map(({ rssMiB }) => rssMiB)),
      cycleMsP50,
      packs,
    };
  });
}
