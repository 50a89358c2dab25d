// The field: who works where, and how much landings there disturb others.

import type { AgentId, ProposalId } from '@firetrident/base';
import { regionLimit } from './admission.ts';
import { proposalOf } from './evolve-put.ts';
import { isAtRest } from './evolve-sigma.ts';
import type { Region } from './model.ts';
import { regionOfPatterns } from './regions.ts';
import { inhibitionOf, laneDelayOf } from './sigma.ts';
import { wholeReturn } from './sigma-index.ts';
import type { ColonyState } from './state.ts';
import { strengthAt } from './strength.ts';

/** One region of the field. `intensity` is the strength of all claims there; σ and what follows from it are as published. */
export interface RegionView {
  readonly region: Region;
  readonly claims: number;
  readonly intensity: number;
  readonly inFlight: number;
  /** Leases that may be in flight; null while admission is open (T4). */
  readonly admitted: number | null;
  readonly queued: number;
  readonly landedPerMin: number;
  /** Stale returns per landing, the factor that the lane is slowed by, and the interval that this makes (S1, S3). */
  readonly sigma: number;
  readonly inhibition: number;
  readonly laneDelayMs: number;
}

/** Stale returns of one region's proposals that landings of another region caused (S2). */
export interface CrossingView {
  readonly cause: Region;
  readonly returned: Region;
  /** Returns, each divided among its causes. */
  readonly returns: number;
}

/** One claimed path or glob of the field. */
export interface PathView {
  readonly path: string;
  readonly intensity: number;
  readonly agents: readonly AgentId[];
}

/** The field at one moment. */
export interface FieldView {
  /** σ of the whole colony, as published. */
  readonly sigma: number;
  readonly regions: readonly RegionView[];
  /** The hottest paths first, at most 1,000. */
  readonly paths: readonly PathView[];
  /** The largest first, at most 1,000. */
  readonly crossings: readonly CrossingView[];
}

const rowsAtMost = 1_000;

/** All live marks, summed per path and region. */
export function fieldView(state: ColonyState, now: number): FieldView {
  const { policy } = state;
  const published = (region: Region) => {
    const inhibition = inhibitionOf(state, region);
    return { sigma: state.standings.get(region)?.sigma ?? 0, inhibition, laneDelayMs: laneDelayOf(inhibition) };
  };
  const regions = new Map<Region, { -readonly [F in keyof RegionView]: RegionView[F] }>();
  const at = (region: Region) => {
    const known = regions.get(region);
    if (known !== undefined) return known;
    const admitted = policy.admission === 'open' ? null : regionLimit(policy, state.admissions.get(region));
    const counted = { claims: 0, intensity: 0, inFlight: 0, queued: 0, landedPerMin: 0 };
    const fresh = { region, admitted, ...counted, ...published(region) };
    regions.set(region, fresh);
    return fresh;
  };
  const paths = new Map<string, { path: string; intensity: number; agents: AgentId[] }>();
  for (const lease of state.leases.values()) {
    at(lease.region).inFlight += 1;
    const strength = strengthAt(state.policy, lease.refreshedAt, now);
    for (const path of strength > 0 ? lease.claims : []) {
      const region = at(regionOfPatterns([path], state.policy.regionDepth, state.index.packages));
      region.claims += 1;
      region.intensity += strength;
      const entry = paths.get(path) ?? { path, intensity: 0, agents: [] };
      entry.intensity += strength;
      if (!entry.agents.includes(lease.agent)) entry.agents.push(lease.agent);
      paths.set(path, entry);
    }
  }
  for (const id of waiting(state)) at(proposalOf(state, id).region).queued += 1;
  for (const { second, region, count } of state.landedSeconds) {
    if (second * 1000 > now - 60_000) at(region).landedPerMin += count;
  }
  for (const [region, standing] of state.standings) if (!isAtRest(standing)) at(region);
  const byHeat = [...paths.values()].sort((left, right) => right.intensity - left.intensity);
  return {
    sigma: state.sigma,
    regions: [...regions.values()].sort(byRegion),
    paths: byHeat.slice(0, rowsAtMost),
    crossings: crossingsView(state, now),
  };
}

function crossingsView(state: ColonyState, now: number): readonly CrossingView[] {
  const crossings = new Map<string, { cause: Region; returned: Region; returns: number }>();
  for (const { region: cause, at, returned: shares } of state.recentLandings.values()) {
    if (at <= now - (state.standings.get(cause)?.windowMs ?? 0)) continue;
    for (const [returned, share] of shares) {
      if (returned === cause) continue;
      const key = JSON.stringify([cause, returned]);
      const crossing = crossings.get(key) ?? { cause, returned, returns: 0 };
      crossing.returns += share / wholeReturn;
      crossings.set(key, crossing);
    }
  }
  return [...crossings.values()].sort((left, right) => right.returns - left.returns).slice(0, rowsAtMost);
}

/** Every proposal that has no outcome yet. */
function waiting(state: ColonyState): readonly ProposalId[] {
  return [...state.queue, ...state.index.reservations.heldBy.keys(), ...state.cycleOrder];
}

/** Order of regions by name. */
export function byRegion(left: { readonly region: Region }, right: { readonly region: Region }): number {
  return left.region < right.region ? -1 : left.region > right.region ? 1 : 0;
}
