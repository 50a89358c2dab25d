// How much of a region's work goes stale, lately: what admission judges by.
//
// Counts fade by half in each half-life, so nothing has to be taken out when its time is over. Work counts where it was
// admitted. σ is that of the region's landings (S1).
//
//   SR1. Waste says nothing (0) before there is enough to judge by.

import type { Region } from './model.ts';
import { sigmaOf } from './sigma.ts';
import { wholeReturn } from './sigma-index.ts';
import type { ColonyState } from './state.ts';

/** Faded counts of one region. */
export interface RegionStaleness {
  readonly at: number;
  readonly returns: number;
  /** Pieces of work proposed, and how long agents worked on them. */
  readonly works: number;
  readonly workedMs: number;
  /** How long agents worked again on what came back, or had worked on what was thrown away. */
  readonly redoneMs: number;
}

/** How much of a region's work goes stale. */
export interface StalenessRate {
  /** Stale returns per landing (S1). */
  readonly sigma: number;
  /** Share of the working time that was redone. */
  readonly waste: number;
  /** Returns that this rests on: of work of the region, or caused by its landings, whichever are more. */
  readonly returns: number;
  /** Mean time of one piece of work, in milliseconds. */
  readonly workMs: number;
}

/** What happened in a region just now. */
export type Tally = Partial<Omit<RegionStaleness, 'at'>>;

const halfLifeMs = 60_000;
/** Pieces of work below which nothing is said (SR1). */
const worksAtLeast = 3;

const nothing = { at: 0, returns: 0, works: 0, workedMs: 0, redoneMs: 0 };

/** The counts with what happened at `at`. */
export function tallied(before: RegionStaleness | undefined, tally: Tally, at: number): RegionStaleness {
  const { returns, works, workedMs, redoneMs } = faded(before, at);
  return {
    at,
    returns: returns + (tally.returns ?? 0),
    works: works + (tally.works ?? 0),
    workedMs: workedMs + (tally.workedMs ?? 0),
    redoneMs: redoneMs + (tally.redoneMs ?? 0),
  };
}

/** How much of the region's work goes stale, judged at `now`. */
export function stalenessOf(state: ColonyState, region: Region, now: number): StalenessRate {
  const { returns, works, workedMs, redoneMs } = faded(state.staleness.get(region), now);
  const caused = (state.index.sigma.window(region)?.total ?? 0) / wholeReturn;
  return {
    sigma: sigmaOf(state, region, now),
    waste: works < worksAtLeast || workedMs <= 0 ? 0 : redoneMs / (workedMs + redoneMs),
    returns: Math.max(returns, caused),
    workMs: works < 1 ? 0 : workedMs / works,
  };
}

function faded(before: RegionStaleness | undefined, now: number): RegionStaleness {
  if (before === undefined) return nothing;
  const left = 2 ** (-Math.max(0, now - before.at) / halfLifeMs);
  if (left === 1) return before;
  return {
    at: now,
    returns: before.returns * left,
    works: before.works * left,
    workedMs: before.workedMs * left,
    redoneMs: before.redoneMs * left,
  };
}
