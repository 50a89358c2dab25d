// The field and the lanes, on the way out.

import { type ColonyState, fieldView, lanesView } from '@firetrident/core';
import type { ResponseOf } from '@firetrident/protocol';

/** Who works where: per region, and per claimed path. `now` is the colony's clock. */
export function fieldBody(state: ColonyState, now: number): ResponseOf<'readField'> {
  const { sigma, regions, paths, crossings } = fieldView(state, now);
  return {
    sigma,
    regions: regions.map((region) => ({ ...region })),
    paths: paths.map(({ path, intensity, agents }) => ({ path, intensity, agents: [...agents] })),
    crossings: [...crossings],
  };
}

/** What is queued, per region. */
export function lanesBody(state: ColonyState, now: number): ResponseOf<'readLanes'> {
  return {
    lanes: lanesView(state).map(({ region, queued, inCycle, oldestAt }) => ({
      region,
      queued,
      inCycle,
      oldestMs: Math.max(0, now - oldestAt),
    })),
  };
}
