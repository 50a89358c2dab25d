// The colony at a glance, on the way out.

import { type ColonyState, colonyCounters, type LeaseState } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import type { ColonyResponse, ResponseOf } from '@firetrident/protocol';
import { fieldBody } from './field.ts';
import { policyBody } from './policy.ts';
import { timeText } from './times.ts';

type TrunkBody = ColonyResponse['trunk'];

/** Trunk and whether landing stands still. */
export function trunkBody(state: ColonyState): TrunkBody {
  const { branch, tip, freeze } = state;
  return {
    branch,
    commit: tip,
    paused: freeze?.kind === 'paused',
    rewoundTo: freeze?.kind === 'rewound' ? freeze.found : null,
  };
}

/** Leases by state. */
export function leaseCounts(state: ColonyState): Record<LeaseState, number> {
  const counts: Record<LeaseState, number> = { working: 0, proposed: 0, returned: 0 };
  for (const lease of state.leases.values()) counts[lease.state] += 1;
  return counts;
}

function reservationRows(state: ColonyState): ColonyResponse['reservations'] {
  return [...state.reservations.values()].flatMap(({ lease, proposal, region, until, held }) => {
    const agent = state.leases.get(lease)?.agent;
    return agent === undefined ? [] : [{ proposal, agent, region, until: timeText(until), held: held.length }];
  });
}

/** The whole page. */
export function colonyBody(colony: Colony): ColonyResponse {
  const { state } = colony;
  const counters = colonyCounters(state);
  return {
    id: colony.id,
    trunk: trunkBody(state),
    repository: colony.repository,
    policy: policyBody(state.policy),
    createdAt: timeText(state.createdAt),
    intents: counters.intents,
    takeable: counters.takeable,
    agents: counters.agents,
    leases: leaseCounts(state),
    proposals: counters.proposals,
    landings: counters.landings,
    externalLandings: counters.externalLandings,
    queued: counters.proposals.queued,
    reservations: reservationRows(state),
    preserved: counters.preserved,
    attention: counters.attention,
    sigma: state.sigma,
    workedMs: counters.workedMs,
    wastedMs: counters.wastedMs,
    wastedTokens: counters.wastedTokens,
    regions: fieldBody(state, colony.now()).regions,
    cycle: { ...colony.figures },
  };
}

/** A row of the list of colonies. */
export function colonyRowBody(colony: Colony): ResponseOf<'listColonies'>['colonies'][number] {
  const { id, repository, state } = colony;
  return { id, trunk: trunkBody(state), repository, createdAt: timeText(state.createdAt) };
}
