// How cycles and the outcomes of their proposals change the state.

import { assert, defined, type ProposalId } from '@firetrident/base';
import type { Event, EventOf } from './event.ts';
import { cycleMeasured, workLanded, workReturned } from './evolve-admission.ts';
import { settleLease } from './evolve-leases.ts';
import {
  forgetServed,
  intentOf,
  leaseOf,
  proposalOf,
  putIntent,
  putLease,
  putProposal,
  settleProposal,
} from './evolve-put.ts';
import { noteLanding, noteLaneTicks, noteReturn } from './evolve-sigma.ts';
import { takeId } from './identity.ts';
import { learn } from './learning.ts';
import type { Batch, Outcome, Proposal, Region } from './model.ts';
import { finalOutcomes } from './outcomes.ts';
import { settledRow, statusOf } from './rows.ts';
import type { ColonyState, Totals } from './state.ts';
import { countReturnedWork } from './waste.ts';

/** Landings older than this leave the recent ones. */
const recentMs = 60_000;

/** Its proposals leave the queue, remembered in order of arrival. */
export function cycleStarted(state: ColonyState, event: EventOf<'cycle-started'>): void {
  takeId(state, event.cycle);
  for (const batch of event.batches) takeId(state, batch.id);
  const inCycle = new Set(event.batches.flatMap((batch) => batch.proposals));
  state.cycleOrder = state.queue.filter((id) => inCycle.has(id));
  state.queue = state.queue.filter((id) => !inCycle.has(id));
  state.together = Math.max(0, state.together - inCycle.size);
  state.cycle = { id: event.cycle, batches: event.batches, startedAt: event.at, intention: null };
  for (const batch of event.batches) for (const _ of batch.proposals) state.index.lanes.change(batch.region, -1);
  noteLaneTicks(state, lanesOf(event.batches), event.at);
}

/** What the cycle is about to make true (L3). */
export function cycleIntended(state: ColonyState, event: EventOf<'cycle-intended'>): void {
  const cycle = defined(state.cycle, 'the running cycle');
  state.cycle = { ...cycle, intention: event.intention };
  state.cycleQuarantined = event.quarantined;
}

/** Trunk stands where the cycle put it; the outcomes follow, one event each. */
export function cycleCommitted(state: ColonyState, event: EventOf<'cycle-committed'>): void {
  const cycle = defined(state.cycle, 'the running cycle');
  const intention = defined(cycle.intention, `intention of cycle ${event.cycle}`);
  for (const outcome of finalOutcomes(intention, state.cycleQuarantined)) state.settling.set(outcome.proposal, outcome);
  cycleMeasured(state, cycle, event.at);
  if (intention.refs !== null) {
    state.tip = intention.refs.newTip;
    state.notes = intention.refs.newNotes;
  }
  endCycle(state);
}

/** Everything queues again, before what came later, and stays together (O4b). */
export function cycleAbandoned(state: ColonyState, _event: EventOf<'cycle-abandoned'>): void {
  state.together += state.cycleOrder.length;
  state.queue = [...state.cycleOrder, ...state.queue];
  for (const id of state.cycleOrder) state.index.lanes.change(proposalOf(state, id).region, 1);
  // Their lanes gave nothing away, so they need not wait for it.
  noteLaneTicks(state, lanesOf(state.cycle?.batches ?? []), 0);
  endCycle(state);
}

function lanesOf(batches: readonly Batch[]): readonly Region[] {
  return batches.map((batch) => batch.region);
}

function endCycle(state: ColonyState): void {
  state.cycle = null;
  state.cycleOrder = [];
  state.cycleQuarantined = [];
}

/** A proposal is on trunk. */
export function landed(state: ColonyState, event: EventOf<'landed'>): void {
  const proposal = settle(state, event);
  const intent = intentOf(state, event.intent);
  putIntent(state, { ...intent, landings: [...intent.landings, event.landing] }, event.at);
  learn(state, { title: intent.title, paths: proposal.writes.map(({ path }) => path) });
  countLanding(state, event.region, event.at);
  noteLanding(state, event.landing, event.region, event.at);
  workLanded(state, leaseOf(state, proposal.lease), event.at);
  freeSuccessors(state, proposal);
  settleLease(state, proposal.lease, event.at, null);
}

/** Trunk had everything already. */
export function unchanged(state: ColonyState, event: EventOf<'unchanged'>): void {
  const proposal = settle(state, event);
  freeSuccessors(state, proposal);
  settleLease(state, proposal.lease, event.at, null);
}

/**
 * A proposal came back with its brief; it stays live until it is repaired or its lease ends. Files that were served
 * under the lease and moved since are answered by its repair, so they count no more (V1c).
 */
export function returned(state: ColonyState, event: EventOf<'returned'>): void {
  const outcome = takeOutcome(state, event.proposal);
  assert(outcome.kind === 'returned', `outcome of ${event.proposal} is a return`);
  const proposal = proposalOf(state, event.proposal);
  putProposal(state, { ...proposal, state: 'returned', brief: outcome.brief });
  const { recorded } = leaseOf(state, proposal.lease);
  for (const { read } of outcome.brief.reads) {
    if ('path' in read && recorded.get(read.path)?.at === read.at) forgetServed(state, proposal.lease, read.path);
  }
  const intent = intentOf(state, event.intent);
  putIntent(state, { ...intent, returns: intent.returns + 1 }, event.at);
  count(state, 'returned');
  countReturnedWork(state, proposal);
  putLease(state, { ...leaseOf(state, proposal.lease), workingSince: event.at });
  noteReturn(state, outcome.brief, proposal.region, event.at);
  workReturned(state, leaseOf(state, proposal.lease), event.at);
  settleLease(state, proposal.lease, event.at, event.expiresAt);
}

/** The lease stays for a window, in which the agent may propose something else (C6a). */
export function rejected(state: ColonyState, event: EventOf<'rejected'>): void {
  const proposal = settle(state, event);
  settleLease(state, proposal.lease, event.at, event.expiresAt);
}

/** Queues again, first in line. Deferrals of one cycle come youngest first, so they end up in order of arrival. */
export function deferred(state: ColonyState, event: EventOf<'deferred'>): void {
  takeOutcome(state, event.proposal);
  state.queue.unshift(event.proposal);
  state.index.lanes.change(proposalOf(state, event.proposal).region, 1);
  // What must share a cycle lies behind it now, and stays whole.
  if (state.together > 0) state.together += 1;
}

/** A landing of a region counts for a minute. */
export function countLanding(state: ColonyState, region: Region, at: number): void {
  const second = Math.floor(at / 1000);
  const seconds = state.landedSeconds;
  const firstKept = seconds.findIndex((entry) => entry.second * 1000 > at - recentMs);
  if (firstKept !== 0) seconds.splice(0, firstKept < 0 ? seconds.length : firstKept);
  for (let index = seconds.length - 1; index >= 0; index -= 1) {
    const entry = seconds[index];
    if (entry === undefined || entry.second !== second) break;
    if (entry.region !== region) continue;
    seconds[index] = { ...entry, count: entry.count + 1 };
    return;
  }
  seconds.push({ second, region, count: 1 });
}

/** Takes a proposal with a terminal outcome out of the live ones. */
function settle(state: ColonyState, event: Extract<Event, { kind: 'landed' | 'unchanged' | 'rejected' }>): Proposal {
  const outcome = takeOutcome(state, event.proposal);
  assert(outcome.kind === event.kind, `outcome of ${event.proposal} is ${event.kind}`);
  const status = defined(statusOf(outcome), `status of ${event.proposal}`);
  const proposal = proposalOf(state, event.proposal);
  settleProposal(state, { row: settledRow(proposal, status, event.at) });
  count(state, event.kind);
  return proposal;
}

function takeOutcome(state: ColonyState, proposal: ProposalId): Outcome {
  const outcome = defined(state.settling.get(proposal), `outcome of ${proposal}`);
  state.settling.delete(proposal);
  return outcome;
}

function count(state: ColonyState, outcome: keyof Totals): void {
  state.totals = { ...state.totals, [outcome]: state.totals[outcome] + 1 };
}

/** What built on a part that is on trunk now builds on trunk (C5c). */
function freeSuccessors(state: ColonyState, part: Proposal): void {
  for (const id of leaseOf(state, part.lease).proposals) {
    const proposal = proposalOf(state, id);
    if (proposal.predecessor === part.id) putProposal(state, { ...proposal, predecessor: null });
  }
}
