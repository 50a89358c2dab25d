// How reservations begin and end, and what they hold back.

import { defined, type LeaseId, type ProposalId } from '@firetrident/base';
import type { EventOf } from './event.ts';
import { proposalOf } from './evolve-put.ts';
import type { Proposal, Reservation } from './model.ts';
import type { Policy } from './policy.ts';
import type { ColonyState } from './state.ts';

/**
 * How long a reservation lasts: `reservationMs`, or twice the time that the agent worked on what came back last when that is longer, since its
 * next answer will take about as long again; never longer than the time that it has to answer (R4a).
 */
export function reservationTermMs({ reservationMs, repairWindowMs }: Policy, { workMs, repairOf }: Proposal): number {
  const answeredInMs = repairOf === null ? 0 : workMs;
  return Math.min(Math.max(reservationMs, 2 * answeredInMs), repairWindowMs);
}

/** A reservation begins (R4). */
export function reserved(state: ColonyState, event: EventOf<'reserved'>): void {
  const { lease, proposal, region, until, at } = event;
  put(state, { lease, proposal, region, since: at, until, held: [] });
}

/** Proposals leave the line until the reservation ends. */
export function heldBack(state: ColonyState, event: EventOf<'held-back'>): void {
  const reservation = reservationOf(state, event.lease);
  const held = new Set(event.proposals);
  const before = state.queue.length;
  state.queue = state.queue.filter((id) => !held.has(id));
  for (const id of held) state.index.lanes.change(proposalOf(state, id).region, -1);
  state.together = Math.max(0, state.together - (before - state.queue.length));
  drop(state, reservation);
  put(state, { ...reservation, held: [...reservation.held, ...event.proposals] });
}

/** What was held back is first in line again, in its old order. */
export function reservationEnded(state: ColonyState, event: EventOf<'reservation-ended'>): void {
  const reservation = reservationOf(state, event.lease);
  drop(state, reservation);
  state.reservations.delete(event.lease);
  state.queue = [...reservation.held, ...state.queue];
  for (const id of reservation.held) state.index.lanes.change(proposalOf(state, id).region, 1);
  // What must share a cycle lies behind it now, and stays whole.
  if (state.together > 0) state.together += reservation.held.length;
}

/** The repair of what it is for takes its place; its time does not grow. */
export function reservationFollows(state: ColonyState, lease: LeaseId, old: ProposalId, repair: ProposalId): void {
  const reservation = state.reservations.get(lease);
  if (reservation?.proposal !== old) return;
  drop(state, reservation);
  put(state, { ...reservation, proposal: repair });
}

/** Nobody could be heard for a while: every reservation gets a full term. */
export function renewReservations(state: ColonyState, at: number): void {
  for (const reservation of [...state.reservations.values()]) {
    drop(state, reservation);
    put(state, {
      ...reservation,
      until: at + reservationTermMs(state.policy, proposalOf(state, reservation.proposal)),
    });
  }
}

function reservationOf(state: ColonyState, lease: LeaseId): Reservation {
  return defined(state.reservations.get(lease), `reservation of ${lease}`);
}

/** Puts a reservation in, new or changed; one that is there keeps its place in the order of age. */
function put(state: ColonyState, reservation: Reservation): void {
  state.reservations.set(reservation.lease, reservation);
  state.index.reservations.add(reservation, proposalOf(state, reservation.proposal));
}

function drop(state: ColonyState, reservation: Reservation): void {
  state.index.reservations.remove(reservation, proposalOf(state, reservation.proposal));
}
