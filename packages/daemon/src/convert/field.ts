// The field and the lanes, on the way out.
//
//   FL1. What no rule of this version decides (admission, σ, inhibition, lane delay) is null, not a made-up number.

import { type AgentId, defined, type ProposalId } from '@firetrident/base';
import type { ColonyState, Region } from '@firetrident/core';
import type { ResponseOf } from '@firetrident/protocol';

type FieldBody = ResponseOf<'readField'>;
type LanesBody = ResponseOf<'readLanes'>;

/** Most paths that are listed, the hottest first. */
const pathRows = 1_000;
/** Most proposals that are named per lane. */
const laneRows = 1_000;

/** Who works where: per region, and per claimed path. `now` is the colony's clock. */
export function fieldBody(state: ColonyState, now: number): FieldBody {
  const regions = new Map<Region, FieldBody['regions'][number]>();
  const row = (region: Region) => {
    let found = regions.get(region);
    if (found === undefined) {
      found = {
        region,
        claims: 0,
        intensity: 0,
        inFlight: 0,
        admitted: null,
        sigma: null,
        inhibition: null,
        laneDelayMs: null,
        queued: 0,
        landedPerMin: 0,
      };
      regions.set(region, found);
    }
    return found;
  };
  const paths = new Map<string, { intensity: number; agents: Set<AgentId> }>();
  for (const lease of state.leases.values()) {
    const strength = 0.5 ** (Math.max(0, now - lease.refreshedAt) / state.policy.claimHalfLifeMs);
    const inRegion = row(lease.region);
    inRegion.inFlight += 1;
    inRegion.claims += lease.claims.length;
    inRegion.intensity += strength * lease.claims.length;
    for (const path of lease.claims) {
      const found = paths.get(path) ?? { intensity: 0, agents: new Set() };
      found.intensity += strength;
      found.agents.add(lease.agent);
      paths.set(path, found);
    }
  }
  for (const proposal of queuedProposals(state)) row(proposal.region).queued += 1;
  const oldest = Math.floor(now / 1_000) - 60;
  for (const { second, region, count } of state.landedSeconds) {
    if (second > oldest) row(region).landedPerMin = (row(region).landedPerMin ?? 0) + count;
  }
  return {
    regions: [...regions.values()].sort((left, right) => (left.region < right.region ? -1 : 1)),
    paths: [...paths]
      .map(([path, { intensity, agents }]) => ({ path, intensity, agents: [...agents] }))
      .sort((left, right) => right.intensity - left.intensity || (left.path < right.path ? -1 : 1))
      .slice(0, pathRows),
  };
}

/** What is queued, per region. */
export function lanesBody(state: ColonyState, now: number): LanesBody {
  const lanes = new Map<Region, { queued: number; oldestAt: number; proposals: ProposalId[] }>();
  for (const { id, region, proposedAt } of queuedProposals(state)) {
    const lane = lanes.get(region) ?? { queued: 0, oldestAt: proposedAt, proposals: [] };
    lane.queued += 1;
    lane.oldestAt = Math.min(lane.oldestAt, proposedAt);
    if (lane.proposals.length < laneRows) lane.proposals.push(id);
    lanes.set(region, lane);
  }
  return {
    lanes: [...lanes]
      .map(([region, { queued, oldestAt, proposals }]) => ({
        region,
        queued,
        oldestMs: Math.max(0, now - oldestAt),
        proposals,
      }))
      .sort((left, right) => (left.region < right.region ? -1 : 1)),
  };
}

function queuedProposals(state: ColonyState) {
  return [...state.cycleOrder, ...state.queue].map((id) => defined(state.proposals.get(id), `queued proposal ${id}`));
}
