// How leases and claims change.

import { defined, drawRandom, type LeaseId } from '@firetrident/base';
import type { EventOf } from './event.ts';
import { workThrownAway } from './evolve-admission.ts';
import {
  dropAgentWhenDone,
  dropLease,
  intentOf,
  leaseOf,
  proposalOf,
  putIntent,
  putLease,
  recordServed,
  settleProposal,
} from './evolve-put.ts';
import { takeId } from './identity.ts';
import type { LeaseState } from './model.ts';
import { patternsOf } from './pattern.ts';
import { namesPlace, nowhere, regionOfPatterns } from './regions.ts';
import { returnedRow } from './rows.ts';
import { type ColonyState, type LiveLease, memory, remember } from './state.ts';

/** Landings per lease that its agent was not told of yet. */
const unheardAtMost = 32;

/** A lease begins, with the claims that the intent predicts (C1a). */
export function taken(state: ColonyState, event: EventOf<'taken'>): void {
  takeId(state, event.lease);
  const { lease: id, intent: intentId, agent: agentId, epoch, base, expiresAt, at } = event;
  const intent = intentOf(state, intentId);
  const learnedPaths = event.learnedPaths ?? intent.learnedPaths;
  const predicted = intent.paths.length > 0 ? intent.paths : learnedPaths;
  const region = regionOfPatterns(predicted, state.policy.regionDepth, state.index.packages);
  const placed = namesPlace(patternsOf(predicted));
  state.random = drawRandom(state.random).state;
  state.index.take.restartWait(intentId, at);
  putIntent(state, { ...intent, learnedPaths, state: 'taken', lease: id, epoch, reason: null }, at);
  const agent = defined(state.agents.get(agentId), `agent ${agentId}`);
  state.agents.set(agentId, { ...agent, state: 'working', leases: [...agent.leases, id], idleSince: null });
  const times = { takenAt: at, workingSince: at, expiresAt, windowEndsAt: null, refreshedAt: at };
  const fresh = {
    state: 'working',
    proposals: [],
    claims: [],
    learnedClaims: [],
    open: false,
    recorded: new Map(),
    headsUps: [],
    unlisted: 0,
  } as const;
  const lease: LiveLease = { id, intent: intentId, agent: agentId, epoch, base, region, placed, ...times, ...fresh };
  putLease(state, lease);
  state.index.take.changeInFlight(placed ? region : nowhere, 1);
  deposit(state, lease, predicted, at, intent.paths.length === 0);
}

/** Claims are at full strength again, and wider when new ones are declared (C1b). */
export function heartbeat(state: ColonyState, event: EventOf<'heartbeat'>): void {
  const lease = leaseOf(state, event.lease);
  putLease(state, { ...lease, expiresAt: event.expiresAt, refreshedAt: event.at });
  deposit(state, leaseOf(state, event.lease), event.claims, event.at, false);
}

/** The claims of a live lease are gone (C1c, C1d). */
export function claimsEnded(state: ColonyState, event: EventOf<'claims-ended'>): void {
  putLease(state, { ...leaseOf(state, event.lease), claims: [], learnedClaims: [] });
  state.index.take.unmark(event.lease, event.at);
}

/** A file was served under the lease. */
export function readRecorded(state: ColonyState, event: EventOf<'read-recorded'>): void {
  const { blob, seen: at, source } = event;
  recordServed(state, event.lease, event.path, source === undefined ? { blob, at } : { blob, at, source });
}

/** The agent is yet to be told; of many landings the newest are kept (HE1). */
export function headsUp(state: ColonyState, event: EventOf<'heads-up'>): void {
  const lease = leaseOf(state, event.lease);
  const all = [...lease.headsUps, ...event.landings];
  const headsUps = all.slice(-unheardAtMost);
  const unlisted = lease.unlisted + event.more + all.length - headsUps.length;
  putLease(state, { ...lease, headsUps, unlisted });
}

/** The agent was told. */
export function heard(state: ColonyState, event: EventOf<'heard'>): void {
  for (const id of defined(state.agents.get(event.agent), `agent ${event.agent}`).leases) {
    const lease = leaseOf(state, id);
    if (lease.headsUps.length > 0) putLease(state, { ...lease, headsUps: [], unlisted: 0 });
  }
}

/** The lease is gone and its epoch with it (C2b); what becomes of the intent is the next event. */
export function leaseEnded(state: ColonyState, event: EventOf<'lease-ended'>): void {
  const lease = leaseOf(state, event.lease);
  workThrownAway(state, lease, event.at);
  for (const id of lease.proposals) {
    const proposal = proposalOf(state, id);
    const row = returnedRow(proposal, event.at);
    settleProposal(state, { row });
  }
  state.index.take.unmark(lease.id, event.at);
  state.index.take.changeInFlight(lease.placed ? lease.region : nowhere, -1);
  dropLease(state, lease.id);
  state.sentParts.delete(lease.id);
  const { intent: intentId, agent: agentId, epoch } = lease;
  const intent = intentOf(state, intentId);
  putIntent(state, { ...intent, state: 'taken', lease: null, epoch: epoch + 1 }, event.at);
  const agent = defined(state.agents.get(agentId), `agent ${agentId}`);
  const leases = agent.leases.filter((other) => other !== lease.id);
  const agentState = agent.state === 'stopped' ? 'stopped' : leases.length > 0 ? 'working' : 'idle';
  const idleSince = leases.length > 0 ? null : event.at;
  state.agents.set(agentId, { ...agent, state: agentState, leases, idleSince });
  dropAgentWhenDone(state, agentId, event.at);
  const settled = event.why === 'landed' || event.why === 'unchanged' || event.why === 'completed';
  const ended = { intent: intentId, agent: agentId, epoch, why: event.why };
  if (settled) remember(state.settledLeases, lease.id, ended, memory.settledLeases);
  else remember(state.lostLeases, lease.id, ended, memory.lostLeases);
}

/** Claims of a lease; what is declared is no longer only learned (T5c). */
function deposit(state: ColonyState, lease: LiveLease, paths: readonly string[], at: number, learned: boolean): void {
  const claims = [...new Set([...lease.claims, ...paths])];
  const learnedClaims = learned ? paths : lease.learnedClaims.filter((path) => !paths.includes(path));
  putLease(state, { ...lease, claims, learnedClaims });
  for (const pattern of patternsOf(paths)) state.index.take.mark(lease.id, lease.agent, pattern, at, learned);
}

/**
 * Sets the state and clock of a lease by its live proposals: they stand still while one is queued (C3a); a return
 * that is out has a window that ends at `windowEndsAt`, or a fresh one (C3b); otherwise it works on (C5b).
 */
export function settleLease(state: ColonyState, id: LeaseId, at: number, windowEndsAt: number | null): void {
  const lease = leaseOf(state, id);
  const states = lease.proposals.map((proposal) => state.proposals.get(proposal)?.state);
  const { leaseMs, repairWindowMs } = state.policy;
  let next: { state: LeaseState; expiresAt: number | null; windowEndsAt: number | null };
  if (states.includes('queued')) {
    next = { state: 'proposed', expiresAt: null, windowEndsAt: null };
  } else if (states.includes('returned')) {
    const end = windowEndsAt ?? at + repairWindowMs;
    next = { state: 'returned', expiresAt: end, windowEndsAt: end };
  } else {
    next = { state: 'working', expiresAt: windowEndsAt ?? at + leaseMs, windowEndsAt };
  }
  putLease(state, { ...lease, ...next });
  const intent = intentOf(state, lease.intent);
  const intentState = next.state === 'proposed' ? 'proposed' : 'taken';
  if (intent.state !== intentState) putIntent(state, { ...intent, state: intentState }, at);
}
