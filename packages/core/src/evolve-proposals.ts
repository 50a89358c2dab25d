// How proposals and preserved work change, up to the cycle.

import { defined, type ProposalId } from '@firetrident/base';
import type { EventOf } from './event.ts';
import { workProposed } from './evolve-admission.ts';
import { settleLease } from './evolve-leases.ts';
import {
  forgetServed,
  leaseOf,
  proposalOf,
  putLease,
  putProposal,
  rememberProposal,
  settleProposal,
} from './evolve-put.ts';
import { reservationFollows } from './evolve-reservations.ts';
import { noteWork } from './evolve-sigma.ts';
import { takeId } from './identity.ts';
import type { Proposal } from './model.ts';
import { returnedRow } from './rows.ts';
import { type ColonyState, type LiveLease, memory, remember } from './state.ts';
import { countRepairedWork } from './waste.ts';

/**
 * Queues a proposal. A return that it repairs leaves the live ones (R2b), and what it writes is no longer read under its
 * lease: V2 looks after that (V1c).
 */
export function proposed(state: ColonyState, event: EventOf<'proposed'>): void {
  takeId(state, event.proposal);
  const { proposal: id, lease: leaseId, repairOf, at, kind: _kind, answer: _answer, ...rest } = event;
  const before = leaseOf(state, leaseId);
  const { intent, agent, epoch, takenAt } = before;
  workProposed(state, before, repairOf !== null, at);
  const proposals = replaced(before.proposals, repairOf, id);
  const workMs = Math.max(0, Math.round(at - before.workingSince));
  const standing = { id, intent, agent, lease: leaseId, epoch, takenAt, repairOf, workMs } as const;
  const proposal: Proposal = { ...rest, ...standing, proposedAt: at, state: 'queued', brief: null };
  if (repairOf !== null) {
    putProposal(state, proposal);
    reservationFollows(state, leaseId, repairOf, id);
    const old = proposalOf(state, repairOf);
    countRepairedWork(state, old, event.writes);
    settleProposal(state, { row: returnedRow(old, at) });
  }
  state.totals = { ...state.totals, workedMs: state.totals.workedMs + workMs };
  putProposal(state, proposal);
  putLease(state, { ...leaseOf(state, leaseId), proposals, open: !event.final, workingSince: at });
  rememberPart(state, before, event);
  for (const { path } of event.writes) forgetServed(state, leaseId, path);
  state.queue.push(id);
  state.index.lanes.change(event.region, 1);
  if (event.final && repairOf === null) noteWork(state, event.region, at - takenAt, at);
  settleLease(state, leaseId, at, null);
}

/** Keeps what a part of a chain sent; a repair takes the place of what it repairs. */
function rememberPart(state: ColonyState, before: LiveLease, event: EventOf<'proposed'>): void {
  const parts = state.sentParts.get(event.lease) ?? [];
  if (event.final && !before.open && parts.length === 0) return;
  const part = { proposal: event.proposal, base: event.base, writes: event.writes };
  const place = parts.findIndex((other) => other.proposal === event.repairOf);
  state.sentParts.set(event.lease, place < 0 ? [...parts, part] : parts.with(place, part));
}

/** A repair stands where the part that it repairs stood, so that the chain keeps its order (O3b). */
function replaced(proposals: readonly ProposalId[], old: ProposalId | null, id: ProposalId): readonly ProposalId[] {
  return old === null ? [...proposals, id] : proposals.map((other) => (other === old ? id : other));
}

/** A late proposal has its outcome at once (C2d). */
export function superseded(state: ColonyState, event: EventOf<'superseded'>): void {
  takeId(state, event.proposal);
  const { proposal, lease, agent, intent, base, key, writes, preserved, at } = event;
  if (preserved !== null) {
    takeId(state, preserved);
    const content = { id: preserved, agent, intent, proposal, base, writes };
    state.preserving.set(preserved, { ...content, why: 'superseded', at, commit: null });
  }
  const status = { state: 'superseded', proposal, preserved } as const;
  rememberProposal(state, {
    row: { status, intent, agent, lease, repairOf: null, key, proposedAt: at, settledAt: at },
  });
  state.totals = { ...state.totals, superseded: state.totals.superseded + 1 };
}

/** Content waits for its ref (C4a). */
export function preserveAsked(state: ColonyState, event: EventOf<'preserve-asked'>): void {
  takeId(state, event.preserved);
  const { preserved: id, kind: _kind, ...content } = event;
  state.preserving.set(id, { id, ...content, commit: null });
}

/** The content stands under its ref: its writes need not be kept here (C4b). */
export function preservedUnderRef(state: ColonyState, event: EventOf<'preserved'>): void {
  const { preserved: id, commit } = event;
  const asked = defined(state.preserving.get(id), `preserved work ${id}`);
  state.preserving.delete(id);
  remember(state.preserved, id, { ...asked, writes: [], commit }, memory.preserved);
}
