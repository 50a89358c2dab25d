// Cycles: forming the batches, keeping the intention, and telling every proposal its outcome.

import { assert, type BatchId, defined, type LeaseId, ok, type ProposalId } from '@firetrident/base';
import { type Applying, type Decision, done } from './applying.ts';
import { addAttention } from './attention.ts';
import type { CommandOf } from './command.ts';
import { intentOf, leaseOf, proposalOf } from './evolve-put.ts';
import { type TellingLanding, tellHeadsUps } from './heads-up.ts';
import { nextId } from './identity.ts';
import { endLease, finishIntent, preserve, reopenIntent } from './lease-end.ts';
import type { Batch, Cycle, CycleIntention, Outcome, Proposal } from './model.ts';
import { assertComplete, finalOutcomes, quarantinedCode } from './outcomes.ts';
import { endReservation, expireReservations, reserve, takeFromQueue } from './reservations.ts';
import { landingRow, settledRow, statusOf } from './rows.ts';
import type { ColonyState } from './state.ts';
import { bookReturn } from './waste.ts';

/** Starts a cycle with what queued, one batch for each lane; none while one runs or landing stands still (O4). */
export function startCycle(applying: Applying): Decision<'start-cycle'> {
  const { state } = applying;
  expireReservations(applying);
  if (state.cycle !== null || state.freeze !== null) return ok({ cycle: null, readyAt: null });
  // What queued while landing stood still is one cycle, however much it is (O4a).
  const size = Math.max(state.policy.limits.proposalsPerCycle, state.together);
  const proposals = takeFromQueue(applying, size);
  if (proposals.length === 0) return ok({ cycle: null, readyAt: state.index.lanes.firstResting()?.until ?? null });
  const cycle = nextId(state, 'cyc');
  applying.emit({ kind: 'cycle-started', cycle, batches: formBatches(state, proposals) });
  return ok({ cycle, readyAt: null });
}

function formBatches(state: ColonyState, ids: readonly ProposalId[]): readonly Batch[] {
  const lanes = new Map<string, ProposalId[]>();
  for (const id of ids) {
    const { region } = proposalOf(state, id);
    const lane = lanes.get(region);
    if (lane === undefined) lanes.set(region, [id]);
    else lane.push(id);
  }
  const batchId = (index: number): BatchId => nextId(state, 'bat', 2 + index);
  return [...lanes].map(([region, proposals], index) => ({ id: batchId(index), region, proposals }));
}

/** Keeps what the cycle is about to make true, so that recovery can finish it (L3). */
export function intendCycle(applying: Applying, command: CommandOf<'intend-cycle'>): Decision<'intend-cycle'> {
  const { state } = applying;
  const { cycle, intention, quarantined } = command;
  runningCycle(state, cycle);
  assertComplete(intention, state.cycleOrder);
  assertChains(state, intention);
  assert(intention.refs === null || intention.refs.oldTip === state.tip, 'a cycle builds on the tip');
  applying.emit({ kind: 'cycle-intended', cycle, intention, quarantined });
  return done;
}

/** Crashes when the final part of a chain ends while an earlier part would still be queued (O3a). */
function assertChains(state: ColonyState, intention: CycleIntention): void {
  const kinds = new Map(intention.outcomes.map(({ proposal, kind }) => [proposal, kind]));
  for (const { proposal: id, kind } of intention.outcomes) {
    const proposal = proposalOf(state, id);
    if (!proposal.final || (kind !== 'landed' && kind !== 'unchanged')) continue;
    for (const other of leaseOf(state, proposal.lease).proposals) {
      const queued = proposalOf(state, other).state === 'queued';
      const settles = kinds.has(other) && kinds.get(other) !== 'deferred';
      assert(!queued || settles, `the part ${other} settles before the final part ${id}`);
    }
  }
}

/** The cycle made nothing true: everything queues again, first in line and in the same order (O4b). */
export function abandonCycle(applying: Applying, command: CommandOf<'abandon-cycle'>): Decision<'abandon-cycle'> {
  runningCycle(applying.state, command.cycle);
  applying.emit({ kind: 'cycle-abandoned', cycle: command.cycle, reason: command.reason });
  return done;
}

/** What the cycle intended is true: every proposal has its outcome, and what is over leaves the state (L7). */
export function commitCycle(applying: Applying, command: CommandOf<'commit-cycle'>): Decision<'commit-cycle'> {
  const { state } = applying;
  const cycle = runningCycle(state, command.cycle);
  const intention = defined(cycle.intention, `intention of cycle ${cycle.id}`);
  const outcomes = finalOutcomes(intention, state.cycleQuarantined);
  const inOrder = [...state.cycleOrder];
  applying.emit({ kind: 'cycle-committed', cycle: cycle.id });
  const touched = new Map<LeaseId, Touched>();
  const landings: TellingLanding[] = [];
  const briefed = new Set<LeaseId>();
  for (const outcome of outcomes) {
    if (outcome.kind === 'deferred') continue;
    const proposal = proposalOf(state, outcome.proposal);
    const before = touched.get(proposal.lease);
    touched.set(proposal.lease, afterOutcome(before, outcome, proposal));
    if (outcome.kind === 'returned') briefed.add(proposal.lease);
    if (outcome.kind === 'landed') landings.push(telling(state, outcome, proposal));
    settle(applying, cycle, outcome, proposal);
  }
  const deferred = new Set(outcomes.filter(({ kind }) => kind === 'deferred').map(({ proposal }) => proposal));
  // The youngest first: each is put before the others, so they end up in order of arrival.
  for (const proposal of inOrder.reverse()) if (deferred.has(proposal)) applying.emit({ kind: 'deferred', proposal });
  for (const [lease, what] of touched) endIfOver(applying, lease, what);
  tellHeadsUps(applying, landings, briefed);
  return done;
}

/** The landing as others are told of it; its intent may be over by then. */
function telling(
  state: ColonyState,
  { landing, writes }: Extract<Outcome, { kind: 'landed' }>,
  { lease, intent }: Proposal,
): TellingLanding {
  return { landing, lease, intent: { id: intent, title: intentOf(state, intent).title }, writes };
}

/** What a cycle did to one lease. */
interface Touched {
  readonly rejected: boolean;
  /** How the final part ended, when that ends the lease. */
  readonly end: 'landed' | 'unchanged' | null;
}

function afterOutcome(before: Touched | undefined, outcome: Settled, proposal: Proposal): Touched {
  const over = proposal.final && (outcome.kind === 'landed' || outcome.kind === 'unchanged');
  const rejected = before?.rejected === true || outcome.kind === 'rejected';
  return { rejected, end: over ? outcome.kind : (before?.end ?? null) };
}

function runningCycle(state: ColonyState, id: Cycle['id']): Cycle {
  const cycle = defined(state.cycle, 'the running cycle');
  assert(cycle.id === id, `cycle ${cycle.id} runs, not ${id}`);
  return cycle;
}

type Settled = Exclude<Outcome, { kind: 'deferred' }>;

function settle(applying: Applying, cycle: Cycle, outcome: Settled, proposal: Proposal): void {
  const { state, now } = applying;
  const { id, agent, key } = proposal;
  const status = defined(statusOf(outcome), `status of ${id}`);
  const isReserved = state.reservations.get(proposal.lease)?.proposal === id;
  if (isReserved) endReservation(applying, proposal.lease, outcome.kind === 'returned' ? 'returned' : 'settled');
  switch (outcome.kind) {
    case 'landed':
      landed(applying, cycle, outcome, proposal);
      break;
    case 'unchanged':
      applying.emit({ kind: 'unchanged', proposal: id, intent: proposal.intent, agent });
      break;
    case 'returned':
      returned(applying, proposal);
      bookReturn(applying, proposal, outcome.brief);
      if (!isReserved) reserve(applying, id); // (RV4)
      break;
    case 'rejected':
      rejected(applying, outcome, proposal);
      break;
  }
  if (outcome.kind !== 'returned') {
    applying.effect({ kind: 'archive-proposal', id, key, row: settledRow(proposal, status, now) });
  }
  applying.effect({ kind: 'settled', proposal: id, agent });
}

function landed(
  applying: Applying,
  cycle: Cycle,
  outcome: Extract<Outcome, { kind: 'landed' }>,
  proposal: Proposal,
): void {
  const { state, now } = applying;
  const { landing, commit } = outcome;
  const { id, intent, agent, region } = proposal;
  const author = defined(state.agents.get(agent), `agent ${agent}`);
  const row = landingRow(outcome, proposal, intentOf(state, intent), author, cycle, now);
  applying.emit({ kind: 'landed', cycle: cycle.id, proposal: id, landing, commit, intent, agent, region });
  applying.effect({ kind: 'archive-landing', id: landing, row });
}

/** The lease stays with the agent for the time that it has to answer (C3b, R2a). */
function returned(applying: Applying, proposal: Proposal): void {
  const expiresAt = applying.now + applying.state.policy.repairWindowMs;
  const { id, intent, agent } = proposal;
  applying.emit({ kind: 'returned', proposal: id, intent, agent, expiresAt });
}

function rejected(applying: Applying, outcome: Extract<Outcome, { kind: 'rejected' }>, proposal: Proposal): void {
  const { reasons } = outcome;
  const { id, intent, agent } = proposal;
  const expiresAt = applying.now + applying.state.policy.repairWindowMs;
  const stopped = reasons.find((reason) => reason.code === quarantinedCode);
  preserve(applying, proposal, stopped === undefined ? 'rejected' : 'quarantined');
  applying.emit({ kind: 'rejected', proposal: id, intent, agent, expiresAt, reasons });
  if (stopped === undefined) return;
  addAttention(applying, 'quarantined', `verification stopped ${id}: ${stopped.message}`, id, intent);
}

/**
 * A lease ends with its final part (C5b). Nobody works on under that of a stopped agent, so it ends once nothing of
 * it is queued (C1d).
 */
function endIfOver(applying: Applying, id: LeaseId, touched: Touched): void {
  const { state } = applying;
  const lease = leaseOf(state, id);
  if (touched.end !== null) {
    endLease(applying, id, touched.end, 'released');
    finishIntent(applying, lease.intent, 'trunk had everything already');
  } else if (lease.state !== 'proposed' && state.agents.get(lease.agent)?.state === 'stopped') {
    endLease(applying, id, 'agent-stopped', 'agent-stopped');
    reopenIntent(applying, lease.intent, touched.rejected, null);
  }
}
