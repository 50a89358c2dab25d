// Making the index again from what is alive (IX1).

import { proposalOf } from './evolve-put.ts';
import { isAtRest, releaseOf } from './evolve-sigma.ts';
import { ColonyIndex, isTakeable, proposalKey } from './index-of-state.ts';
import { LaneIndex } from './lane-index.ts';
import { patternsOf } from './pattern.ts';
import { nowhere } from './regions.ts';
import { SigmaIndex } from './sigma-index.ts';
import type { ColonyState, LiveLease } from './state.ts';
import { TakeIndex } from './take-index.ts';

type Waits = Iterable<readonly [string, number]>;

/** Makes the index of takeable intents again, as after a change of policy. `waits` come from the index before. */
export function rebuildTakeIndex(state: ColonyState, waits: Waits, now: number): void {
  const { arrivals, looks } = state.index.take;
  const take = new TakeIndex(state.policy, state.index.packages, state.admissions);
  for (const lease of state.leases.values()) {
    take.changeInFlight(lease.placed ? lease.region : nowhere, 1);
    markClaims(take, lease, now);
  }
  for (const intent of state.intents.values()) if (isTakeable(intent)) take.add(intent, now);
  take.restoreWaits(waits, now);
  take.arrivals = arrivals;
  take.looks = looks;
  state.index.take = take;
}

/** Makes the index of landings and lanes again, as after a start. */
export function rebuildSigmaIndex(state: ColonyState): void {
  const { index } = state;
  index.sigma = new SigmaIndex();
  index.lanes = new LaneIndex();
  for (const landing of state.recentLandings.values()) index.sigma.open(landing.region).add(landing);
  for (const [region, standing] of state.standings) {
    index.sigma.refile(region, isAtRest(standing));
    index.lanes.release(region, releaseOf(standing));
  }
  for (const id of state.queue) index.lanes.change(proposalOf(state, id).region, 1);
}

/** Makes the whole index again, as after restoring a state. */
export function rebuildIndex(state: ColonyState, waits: Waits, now: number): void {
  const index = new ColonyIndex(state.policy, state.packages, state.admissions);
  state.index = index;
  for (const lease of state.leases.values()) {
    index.leaseChanged(null, lease);
    for (const path of lease.recorded.keys()) index.watch.addPath(path, lease.id);
    index.take.changeInFlight(lease.placed ? lease.region : nowhere, 1);
    markClaims(index.take, lease, now);
  }
  for (const intent of state.intents.values()) index.intentChanged(null, intent, now);
  index.take.restoreWaits(waits, now);
  rebuildSigmaIndex(state);
  for (const [id, { key }] of state.recentIntents) if (key !== null) index.recentIntentKeys.set(key, id);
  for (const agent of state.agents.values()) {
    if (agent.state !== 'stopped') index.agentTokens.set(agent.tokenHash, agent.id);
  }
  for (const token of state.joinTokens.values()) index.joinTokens.set(token.tokenHash, token.id);
  for (const { row } of state.recentProposals.values()) {
    if (row.key !== null) index.proposalKeys.set(proposalKey(row.agent, row.key), row.status.proposal);
  }
  for (const proposal of state.proposals.values()) {
    if (proposal.key !== null) index.proposalKeys.set(proposalKey(proposal.agent, proposal.key), proposal.id);
    if (proposal.state === 'returned') index.watch.addReturned(proposal);
  }
  for (const reservation of state.reservations.values()) {
    index.reservations.add(reservation, proposalOf(state, reservation.proposal));
  }
}

function markClaims(take: TakeIndex, lease: LiveLease, now: number): void {
  const learned = new Set(lease.learnedClaims);
  for (const [place, pattern] of patternsOf(lease.claims).entries()) {
    take.mark(lease.id, lease.agent, pattern, now, learned.has(lease.claims[place] ?? ''));
  }
}
