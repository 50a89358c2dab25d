// The colony at a glance, on the way out.

import type { ColonyState } from '@firetrident/core';
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

/** How many of `items` are in each of the states. */
export function countedStates<State extends string>(
  states: readonly State[],
  items: Iterable<{ readonly state: State }>,
): Record<State, number> {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  for (const item of items) counts[item.state] += 1;
  return counts;
}

/** Proposals that have no outcome yet. */
export function queuedCount(state: ColonyState): number {
  return state.queue.length + state.cycleOrder.length;
}

/** Intents by state: the live ones as they are, the ended ones since the colony began. */
export function intentCounts(state: ColonyState): Record<string, number> {
  const { landed, closed, ...live } = state.index.intentCounts;
  const { intentsLanded, intentsClosed } = state.totals;
  return { ...live, landed: Math.max(landed, intentsLanded), closed: Math.max(closed, intentsClosed) };
}

/** Proposals by outcome since the colony began, and those that are queued now. */
export function outcomeCounts(state: ColonyState): Record<string, number> {
  const { landed, unchanged, returned, rejected, superseded } = state.totals;
  return { queued: queuedCount(state), landed, unchanged, returned, rejected, superseded };
}

/** Agents by state; stopped ones since the colony began. */
export function agentCounts(state: ColonyState): Record<string, number> {
  const counts = countedStates(['idle', 'working', 'stopped'], state.agents.values());
  return { ...counts, stopped: Math.max(counts.stopped, state.totals.agentsStopped) };
}

/** Leases by state. */
export function leaseCounts(state: ColonyState): Record<string, number> {
  return countedStates(['working', 'proposed', 'returned'], state.leases.values());
}

/** The whole page. */
export function colonyBody(colony: Colony): ColonyResponse {
  const { state } = colony;
  return {
    id: colony.id,
    trunk: trunkBody(state),
    repository: colony.repository,
    policy: policyBody(state.policy),
    createdAt: timeText(state.createdAt),
    intents: intentCounts(state),
    agents: agentCounts(state),
    leases: leaseCounts(state),
    proposals: outcomeCounts(state),
    landings: state.totals.landed + state.totals.external,
    queued: queuedCount(state),
    attention: state.attention.size,
    regions: fieldBody(state, colony.now()).regions,
    cycle: { ...colony.figures },
  };
}

/** A row of the list of colonies. */
export function colonyRowBody(colony: Colony): ResponseOf<'listColonies'>['colonies'][number] {
  const { id, repository, state } = colony;
  return { id, trunk: trunkBody(state), repository, createdAt: timeText(state.createdAt) };
}
