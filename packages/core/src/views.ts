// What others may ask of a state without changing it.

import type { IntentId, ProposalId } from '@firetrident/base';
import { isExpired } from './agents.ts';
import { proposalOf } from './evolve-put.ts';
import { byRegion } from './field.ts';
import type { Agent, AgentState, Freeze, IntentState, JoinToken, Proposal, Region } from './model.ts';
import { heldCount } from './reservations.ts';
import { sigmaDueAt } from './sigma.ts';
import type { ColonyState } from './state.ts';
import { goneAt } from './strength.ts';

export { waitsForTime } from './choose.ts';
export { proposalByKey, proposalStatus } from './propose.ts';

/** The agent that a token belongs to, by the token's SHA-256; null for tokens that are unknown or whose agent stopped. */
export function agentByTokenHash(state: ColonyState, hash: string): Agent | null {
  const id = state.index.agentTokens.get(hash);
  return id === undefined ? null : (state.agents.get(id) ?? null);
}

/** A join token by its SHA-256, spent or not; null when unknown or expired at `now`. */
export function joinTokenByHash(state: ColonyState, hash: string, now: number): JoinToken | null {
  const id = state.index.joinTokens.get(hash);
  const token = id === undefined ? undefined : state.joinTokens.get(id);
  return token === undefined || isExpired(token, now) ? null : token;
}

/** The live or just settled intent with a key. */
export function intentByKey(state: ColonyState, key: string): IntentId | null {
  return state.index.intentKeys.get(key) ?? state.index.recentIntentKeys.get(key) ?? null;
}

/** When a `tick` next has something to do: a lease or a reservation runs out, claims are gone, or σ is to be looked at. */
export function nextDeadline(state: ColonyState): number | null {
  const { deadlines, refreshed, reservations } = state.index;
  const claims = refreshed.first();
  const gone = claims === undefined ? undefined : goneAt(state.policy, claims.at);
  const known = [deadlines.first()?.at, reservations.due.first()?.at, gone, sigmaDueAt(state) ?? undefined];
  const due = known.filter((at) => at !== undefined);
  return due.length === 0 ? null : Math.min(...due);
}

/** The proposals of the running cycle, in order of arrival. */
export function cycleProposals(state: ColonyState): readonly Proposal[] {
  return state.cycleOrder.map((id) => proposalOf(state, id));
}

/** Parts that proposals of the running cycle build on and that are neither in it nor on trunk (C5c). */
export function missingPredecessors(state: ColonyState): ReadonlySet<ProposalId> {
  const inCycle = new Set(state.cycleOrder);
  const named = cycleProposals(state).map((proposal) => proposal.predecessor);
  return new Set(named.filter((id): id is ProposalId => id !== null && !inCycle.has(id)));
}

/** Figures of a colony. Intents that are over and agents that stopped are counted over its whole life. */
export interface ColonyCounters {
  readonly intents: Readonly<Record<IntentState, number>>;
  readonly takeable: number;
  readonly agents: Readonly<Record<AgentState, number>>;
  readonly leases: number;
  readonly proposals: {
    readonly queued: number;
    readonly landed: number;
    readonly unchanged: number;
    readonly returned: number;
    readonly rejected: number;
    readonly superseded: number;
  };
  readonly landings: number;
  readonly externalLandings: number;
  /** Work on proposals, what of it was lost by returns, and the tokens lost (R5). */
  readonly workedMs: number;
  readonly wastedMs: number;
  readonly wastedTokens: number;
  readonly attention: number;
  readonly preserved: number;
  readonly freeze: Freeze | null;
}

/** The colony's figures now. */
export function colonyCounters(state: ColonyState): ColonyCounters {
  const { totals, index } = state;
  const agents = { idle: 0, working: 0, stopped: totals.agentsStopped };
  for (const agent of state.agents.values()) if (agent.state !== 'stopped') agents[agent.state] += 1;
  const { landed, unchanged, returned, rejected, superseded } = totals;
  const queued = state.queue.length + heldCount(state) + state.cycleOrder.length;
  return {
    intents: { ...index.intentCounts, landed: totals.intentsLanded, closed: totals.intentsClosed },
    takeable: index.take.size,
    agents,
    leases: state.leases.size,
    proposals: { queued, landed, unchanged, returned, rejected, superseded },
    landings: landed + totals.external,
    externalLandings: totals.external,
    workedMs: totals.workedMs,
    wastedMs: totals.wastedMs,
    wastedTokens: totals.wastedTokens,
    attention: state.attention.size,
    preserved: state.preserving.size + state.preserved.size,
    freeze: state.freeze,
  };
}

/** One lane with work. */
export interface LaneView {
  readonly region: Region;
  readonly queued: number;
  readonly inCycle: number;
  /** When its oldest proposal was queued. */
  readonly oldestAt: number;
}

/** The lanes that hold work, by name. */
export function lanesView(state: ColonyState): readonly LaneView[] {
  const lanes = new Map<Region, { region: Region; queued: number; inCycle: number; oldestAt: number }>();
  const add = (id: ProposalId, field: 'queued' | 'inCycle'): void => {
    const { region, proposedAt } = proposalOf(state, id);
    const lane = lanes.get(region) ?? { region, queued: 0, inCycle: 0, oldestAt: proposedAt };
    lane[field] += 1;
    lane.oldestAt = Math.min(lane.oldestAt, proposedAt);
    lanes.set(region, lane);
  };
  for (const id of state.cycleOrder) add(id, 'inCycle');
  for (const id of [...state.queue, ...state.index.reservations.heldBy.keys()]) add(id, 'queued');
  return [...lanes.values()].sort(byRegion);
}
