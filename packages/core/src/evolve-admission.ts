// How work that lands or comes back changes what regions take on, and who takes what (T3, T4).

import { afterCycle, afterLanding, afterWaste, type RegionAdmission, unknownPace } from './admission.ts';
import type { Cycle, Region } from './model.ts';
import { stalenessOf, type Tally, tallied } from './staleness.ts';
import { type ColonyState, type LiveLease, memory, remember } from './state.ts';
import { adapted } from './thresholds.ts';

/** Share of the newest piece of work in the mean time of all. */
const newestShare = 1 / 64;

/** Work was proposed, for the first time or again after a return. */
export function workProposed(state: ColonyState, lease: LiveLease, again: boolean, at: number): void {
  if (again) {
    const returnedAt = (lease.windowEndsAt ?? at) - state.policy.repairWindowMs;
    book(state, lease, { redoneMs: Math.max(0, Math.min(at - lease.takenAt, at - returnedAt)) }, at);
    shrink(state, lease, at);
    return;
  }
  // Later parts of a chain: their time has been counted from the take on already.
  if (lease.open) return;
  const workedMs = Math.max(0, at - lease.takenAt);
  state.workMs = state.workMs === null ? workedMs : state.workMs + (workedMs - state.workMs) * newestShare;
  book(state, lease, { works: 1, workedMs }, at);
}

/** A proposal of the lease is on trunk. */
export function workLanded(state: ColonyState, lease: LiveLease, at: number): void {
  learn(state, lease, 'landed');
  if (!lease.placed) return;
  const { policy, admissions, index } = state;
  const inFlight = index.take.inFlight(lease.region);
  const rate = stalenessOf(state, lease.region, at);
  put(state, lease.region, afterLanding(policy, admissions.get(lease.region), inFlight, rate));
}

/** A proposal of the lease came back. */
export function workReturned(state: ColonyState, lease: LiveLease, at: number): void {
  learn(state, lease, 'returned');
  book(state, lease, { returns: 1 }, at);
  shrink(state, lease, at);
}

/** A lease ends whose returns nobody repaired: all of that work was for nothing. */
export function workThrownAway(state: ColonyState, lease: LiveLease, at: number): void {
  const first = lease.proposals[0];
  const proposal = first === undefined ? undefined : state.proposals.get(first);
  if (proposal === undefined) return;
  book(state, lease, { redoneMs: Math.max(0, proposal.proposedAt - lease.takenAt) }, at);
  shrink(state, lease, at);
}

/** A cycle ended: what it settled in what time says what the writer can do, if it was full (AD3). */
export function cycleMeasured(state: ColonyState, cycle: Cycle, at: number): void {
  const size = state.cycleOrder.length;
  const full = size >= state.policy.limits.proposalsPerCycle;
  state.pace = afterCycle(state.pace, size, Math.max(0, at - cycle.startedAt), full, at);
}

/** After a start: the clock may have gone back, and what was measured was another process. */
export function forgetMeasures(state: ColonyState, at: number): void {
  state.pace = unknownPace;
  state.staleness.clear();
  for (const [region, admission] of state.admissions) state.admissions.set(region, { ...admission, shrankAt: 0 });
  for (const [id, agent] of state.agents) {
    if (agent.idleSince !== null) state.agents.set(id, { ...agent, idleSince: at });
  }
}

function learn(state: ColonyState, lease: LiveLease, outcome: 'landed' | 'returned'): void {
  const agent = state.agents.get(lease.agent);
  if (agent === undefined || !lease.placed) return;
  state.agents.set(agent.id, { ...agent, thresholds: adapted(agent, state.index.sigma.nameOf(lease.region), outcome) });
}

function book(state: ColonyState, lease: LiveLease, tally: Tally, at: number): void {
  if (!lease.placed) return;
  const counts = tallied(state.staleness.get(lease.region), tally, at);
  state.staleness.delete(lease.region);
  remember(state.staleness, lease.region, counts, memory.regions);
}

function shrink(state: ColonyState, lease: LiveLease, at: number): void {
  if (!lease.placed) return;
  const { policy, admissions, index } = state;
  const inFlight = index.take.inFlight(lease.region);
  const rate = stalenessOf(state, lease.region, at);
  put(state, lease.region, afterWaste(policy, admissions.get(lease.region), inFlight, rate, at));
}

function put(state: ColonyState, region: Region, admission: RegionAdmission | undefined): void {
  if (admission === undefined) return;
  state.admissions.delete(region);
  const forgotten = remember(state.admissions, region, admission, memory.regions);
  state.index.take.regionChanged(region);
  if (forgotten !== null) state.index.take.regionChanged(forgotten[0]);
}
