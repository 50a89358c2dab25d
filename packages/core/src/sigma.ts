// σ: how many stale returns one landing of a region causes, and how much its lane slows because of it.
//
// Reads the state and proposes the event that publishes; changes nothing.
//
//   SI1. What is published changes at evaluations only, so everybody acts on the same figures between two of them.

import type { Applying } from './applying.ts';
import { isAtRest, laneBaseMs, shortestWindowMs } from './evolve-sigma.ts';
import type { Region, RegionSigma } from './model.ts';
import { type Counted, ratioOf } from './sigma-index.ts';
import type { ColonyState } from './state.ts';

/** Pause between two evaluations (S4). */
const evaluateEveryMs = 2_000;
/** A lane slows to an eighth at most (S3). */
const highestInhibition = 8;

/**
 * σ of a region at `now`: stale returns that its landings of the window caused, per landing (S1). 0 for a region where
 * nothing came back. Costs O(1) amortised.
 */
export function sigmaOf(state: ColonyState, region: Region, now: number): number {
  return rounded(countedOf(state, region, now));
}

/** The published factor by which a region's lane is slowed: 1 (not at all) to 8 (S3, SI1). */
export function inhibitionOf(state: ColonyState, region: Region): number {
  return state.standings.get(region)?.inhibition ?? 1;
}

/** The interval between two ticks of a region's lane in milliseconds; 0 while it is not inhibited (S3). */
export function laneDelayOf(inhibition: number): number {
  return inhibition > 1 ? laneBaseMs * inhibition : 0;
}

/** The regions whose published figures are not those of a quiet one, the highest σ first. */
export function disturbedRegions(state: ColonyState, atMost: number): readonly RegionSigma[] {
  const disturbed: RegionSigma[] = [];
  for (const region of state.index.sigma.liveRegions()) {
    const standing = state.standings.get(region);
    if (standing === undefined || isAtRest(standing)) continue;
    disturbed.push({ region, sigma: standing.sigma, inhibition: standing.inhibition });
  }
  return disturbed.sort((left, right) => right.sigma - left.sigma).slice(0, atMost);
}

/** When σ is to be looked at next; null while nothing has come back that could raise it (S4). */
export function sigmaDueAt(state: ColonyState): number | null {
  return state.index.sigma.live || state.sigma !== 0 ? state.sigmaAt + evaluateEveryMs : null;
}

/** Looks at every region with landings when it is time, and publishes what changed (S4, S5). */
export function evaluateSigma(applying: Applying): void {
  const { state, now } = applying;
  const due = sigmaDueAt(state);
  if (due === null || due > now) return;
  const changed: RegionSigma[] = [];
  let landings = 0;
  let shares = 0;
  for (const [region, standing] of state.standings) {
    const counted = countedOf(state, region, now);
    landings += counted.landings;
    shares += counted.shares;
    const sigma = rounded(counted);
    if (sigma !== standing.sigma) changed.push({ region, sigma, inhibition: factorOf(sigma) });
  }
  changed.sort((left, right) => (left.region < right.region ? -1 : 1));
  applying.emit({ kind: 'sigma-evaluated', sigma: rounded({ landings, shares }), regions: changed });
}

/** The factor that σ calls for (S3). */
function factorOf(sigma: number): number {
  return Math.min(highestInhibition, Math.max(1, sigma));
}

function countedOf(state: ColonyState, region: Region, now: number): Counted {
  const windowMs = state.standings.get(region)?.windowMs ?? shortestWindowMs;
  return state.index.sigma.window(region)?.counted(now, windowMs) ?? { landings: 0, shares: 0 };
}

/** Three digits are published, so that a figure that hardly moved is no news. */
function rounded(counted: Counted): number {
  return Math.round(ratioOf(counted) * 1_000) / 1_000;
}
