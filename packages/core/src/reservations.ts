// Reservations: a proposal that came back three times finds nothing moved when it comes again (R4).
//
// A reservation begins with a return, so that what the brief shows still holds when the repair arrives. Others may work
// and propose meanwhile; what would break it waits aside, and is first in line afterwards.
//
// Invariants:
//   RV1. One reservation per lane and per lease; it never outlives its lease, its outcome, or its time.
//   RV2. Of two reservations that stand in each other's way the older goes first, so no two wait for one another.
//   RV3. A part of a chain waits with the part that it builds on.
//   RV4. A return ends a reservation and begins none, so the others get their turn in between.

import { defined, type LeaseId, type ProposalId } from '@firetrident/base';
import type { Applying } from './applying.ts';
import { leaseOf, proposalOf } from './evolve-put.ts';
import { reservationTermMs } from './evolve-reservations.ts';
import type { Proposal, ReservationEnd } from './model.ts';
import type { ColonyState } from './state.ts';

/** Returns of one piece of work after which it is given a reservation. */
export const returnsBeforeReservation = 3;

/** Gives a proposal that has just come back what its repair needs, when it has come back often enough (R4, RV1). */
export function reserve(applying: Applying, id: ProposalId): void {
  const { state, now } = applying;
  const proposal = proposalOf(state, id);
  const { lease, region, returns } = proposal;
  if (returns.length + 1 < returnsBeforeReservation) return;
  // Later parts of a chain are repaired after the first one, so it alone needs the time.
  if (leaseOf(state, lease).proposals[0] !== id) return;
  if (state.reservations.has(lease) || state.index.reservations.lanes.has(region)) return;
  const until = now + reservationTermMs(state.policy, proposal);
  applying.emit({ kind: 'reserved', proposal: id, lease, region, until });
}

/** Ends the reservation that a lease has, if it has one. */
export function endReservation(applying: Applying, lease: LeaseId, why: ReservationEnd): boolean {
  if (!applying.state.reservations.has(lease)) return false;
  applying.emit({ kind: 'reservation-ended', lease, why });
  return true;
}

/** Ends the reservations whose time is over (RV1). */
export function expireReservations(applying: Applying): void {
  const { state, now } = applying;
  for (let due = state.index.reservations.due.first(); due !== undefined && due.at <= now; ) {
    endReservation(applying, due.lease, 'expired');
    due = state.index.reservations.due.first();
  }
}

/**
 * The first `size` queued proposals whose lanes do not rest (S3) and that no reservation holds back; what is held back on
 * the way is set aside. What must share a cycle goes whatever its lane does (O4).
 */
export function takeFromQueue(applying: Applying, size: number): readonly ProposalId[] {
  const { state, now } = applying;
  const { lanes } = state.index;
  if (state.reservations.size === 0 && lanes.firstResting() === undefined) return state.queue.slice(0, size);
  const chosen: ProposalId[] = [];
  const aside = new Map<LeaseId, ProposalId[]>();
  const asideOf = new Map<ProposalId, LeaseId>();
  const resting = new Set<ProposalId>();
  for (const [place, id] of state.queue.entries()) {
    if (chosen.length === size) break;
    const proposal = proposalOf(state, id);
    const { region, predecessor } = proposal;
    const rests = lanes.isResting(region, now) || (predecessor !== null && resting.has(predecessor));
    if (place >= state.together && rests) {
      resting.add(id);
      continue;
    }
    const lease = waitsFor(state, proposal, asideOf);
    if (lease === null) {
      chosen.push(id);
      continue;
    }
    asideOf.set(id, lease);
    const held = aside.get(lease);
    if (held === undefined) aside.set(lease, [id]);
    else held.push(id);
  }
  for (const [lease, proposals] of aside) applying.emit({ kind: 'held-back', lease, proposals });
  return chosen;
}

/** The lease for whose reservation a proposal must wait: the oldest that it would break, or null. */
function waitsFor(state: ColonyState, proposal: Proposal, aside: ReadonlyMap<ProposalId, LeaseId>): LeaseId | null {
  const { reservations } = state.index;
  const { predecessor } = proposal;
  const before = predecessor === null ? undefined : (aside.get(predecessor) ?? reservations.heldBy.get(predecessor));
  if (before !== undefined) return before; // (RV3)
  const touched = reservations.touchedBy(proposal.writes);
  if (touched.size === 0) return null;
  // The map is in the order of age (RV2).
  for (const lease of state.reservations.keys()) {
    if (lease === proposal.lease) return null;
    if (touched.has(lease)) return lease;
  }
  return null;
}

/** What a queued proposal waits for; null when it is in line. */
export function heldBackBy(state: ColonyState, id: ProposalId) {
  const lease = state.index.reservations.heldBy.get(id);
  if (lease === undefined) return null;
  const { proposal, until } = defined(state.reservations.get(lease), `reservation of ${lease}`);
  return { reservedBy: proposal, until };
}

/** Until when a reservation keeps still what a proposal needs: a return whose repair is due, or that repair; null without one. */
export function reservedUntil(state: ColonyState, id: ProposalId): number | null {
  const lease = state.proposals.get(id)?.lease;
  const reservation = lease === undefined ? undefined : state.reservations.get(lease);
  return reservation?.proposal === id ? reservation.until : null;
}

/** How many queued proposals wait for a reservation to end. */
export function heldCount(state: ColonyState): number {
  return state.index.reservations.heldBy.size;
}
