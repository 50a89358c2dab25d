// How landings, returns and the passing of time change what a colony knows of σ.
//
//   SG1. A region is kept while it has landings that may cause returns, work seen in the same time, or figures that
//        are not at rest; then it is forgotten.
//   SG2. A region keeps the newest `landingsAtMost` of its window. Each event looks at its own region and one other.

import { defined, type LandingId } from '@firetrident/base';
import type { EventOf } from './event.ts';
import type { Brief, Region } from './model.ts';
import { nothingReturned, wholeReturn } from './sigma-index.ts';
import type { ColonyState, RegionStanding } from './state.ts';

/** A landing counts for as long as the agents of its region work at a time, at least this long (S1). */
export const shortestWindowMs = 60_000;
const longestWindowMs = 3_600_000;
/** Work times from which the length of the window is taken. */
const workTimesAtMost = 20;
/** Landings of one region that are kept (SG2). */
const landingsAtMost = 4_096;
/** Interval of a lane that is inhibited by the factor 1 (S3). */
export const laneBaseMs = 1_000;

/** The landings that a brief names, each once. Causes that nobody knows do not count. */
export function causesOf(brief: Brief): readonly LandingId[] {
  const named = [...brief.reads, ...brief.writes].map((moved) => moved.cause.landing);
  return [...new Set(named.filter((landing): landing is LandingId => landing !== null))];
}

/** A landing that may cause returns from now on. */
export function noteLanding(state: ColonyState, landing: LandingId, region: Region, at: number): void {
  putStanding(state, region, { ...standingOf(state, region), activeAt: at });
  const window = state.index.sigma.open(region);
  const recent = { landing, region: window.region, at, shares: 0, returned: nothingReturned };
  state.recentLandings.set(landing, recent);
  window.add(recent);
  forgetOld(state, region, at);
  lookAtAnother(state, at);
}

/** A stale return: each landing that caused it gets its share, in its own region (S2). Returns cause nothing (S1). */
export function noteReturn(state: ColonyState, brief: Brief, region: Region, at: number): void {
  const causes = causesOf(brief);
  for (const [index, cause] of causes.entries()) {
    const landing = state.recentLandings.get(cause);
    if (landing === undefined) continue;
    // What does not divide goes to the first ones.
    const share = Math.floor(wholeReturn / causes.length) + (index < wholeReturn % causes.length ? 1 : 0);
    state.index.sigma.open(landing.region).addShares(landing, share, region);
    putStanding(state, landing.region, { ...standingOf(state, landing.region), activeAt: at });
  }
}

/** How long work in a region took, from its take to its proposal. The window follows the 95th percentile (S1). */
export function noteWork(state: ColonyState, region: Region, workMs: number, at: number): void {
  const standing = standingOf(state, region);
  const workTimes = [...standing.workTimes.slice(1 - workTimesAtMost), workMs];
  const sorted = workTimes.toSorted((left, right) => left - right);
  const percentile = defined(sorted[Math.ceil(sorted.length * 0.95) - 1], 'the 95th percentile');
  const windowMs = Math.min(longestWindowMs, Math.max(shortestWindowMs, percentile));
  putStanding(state, region, { ...standing, workTimes, windowMs, activeAt: at });
}

/** Lanes handed over their batches: inhibited ones wait for their interval from now on (S3). */
export function noteLaneTicks(state: ColonyState, regions: Iterable<Region>, at: number): void {
  for (const region of regions) {
    const standing = state.standings.get(region);
    if (standing !== undefined) putStanding(state, region, { ...standing, tickedAt: at });
  }
}

/** σ was looked at: what changed is published, and what is over is forgotten (S4, S5). */
export function sigmaEvaluated(state: ColonyState, event: EventOf<'sigma-evaluated'>): void {
  state.sigma = event.sigma;
  state.sigmaAt = event.at;
  for (const { region, sigma, inhibition } of event.regions) {
    putStanding(state, region, { ...standingOf(state, region), sigma, inhibition });
  }
  for (const region of [...state.standings.keys()]) forgetOld(state, region, event.at);
}

/** After a start the clock may show an earlier time: what lies ahead of it is not known any more. */
export function restartSigma(state: ColonyState, at: number): void {
  state.sigmaAt = Math.min(state.sigmaAt, at);
  for (const [id, landing] of state.recentLandings) if (landing.at > at) state.recentLandings.delete(id);
  for (const [region, standing] of state.standings) {
    const { activeAt, tickedAt } = standing;
    state.standings.set(region, {
      ...standing,
      activeAt: Math.min(activeAt, at),
      tickedAt: tickedAt > at ? 0 : tickedAt,
    });
  }
}

/** When the lane of a region may tick; null when it is not inhibited (S3). */
export function releaseOf(standing: RegionStanding): number | null {
  return standing.inhibition > 1 ? standing.tickedAt + laneBaseMs * standing.inhibition : null;
}

/** Whether the published figures are those of a region without σ. */
export function isAtRest({ sigma, inhibition }: RegionStanding): boolean {
  return sigma === 0 && inhibition === 1;
}

function standingOf(state: ColonyState, region: Region): RegionStanding {
  const fresh = { sigma: 0, inhibition: 1, windowMs: shortestWindowMs, workTimes: [], tickedAt: 0, activeAt: 0 };
  return state.standings.get(region) ?? fresh;
}

function putStanding(state: ColonyState, region: Region, standing: RegionStanding): void {
  state.standings.set(region, standing);
  state.index.sigma.refile(region, isAtRest(standing));
  state.index.lanes.release(region, releaseOf(standing));
}

/** Forgets landings that count no more, and the region when nothing of it is left (SG1, SG2). */
function forgetOld(state: ColonyState, region: Region, at: number): void {
  const standing = state.standings.get(region);
  if (standing === undefined) return;
  const window = state.index.sigma.window(region);
  if (window !== undefined) {
    for (let oldest = window.oldest(); oldest !== undefined; oldest = window.oldest()) {
      if (oldest.at > at - standing.windowMs && window.size <= landingsAtMost) break;
      window.dropOldest();
      state.recentLandings.delete(oldest.landing);
    }
  }
  const over = window === undefined || window.size === 0;
  if (over && isAtRest(standing) && standing.activeAt <= at - standing.windowMs) state.standings.delete(region);
  state.index.sigma.refile(region, isAtRest(standing));
}

/** Looks at the region that was looked at longest ago, so that those where nothing happens are forgotten too. */
function lookAtAnother(state: ColonyState, at: number): void {
  const first = state.standings.entries().next();
  if (first.done === true) return;
  const [region, standing] = first.value;
  state.standings.delete(region);
  state.standings.set(region, standing);
  forgetOld(state, region, at);
}
