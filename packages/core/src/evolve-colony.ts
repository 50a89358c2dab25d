// How the colony itself changes: its policy, its boots, trunk as others move it, and what waits for a person.

import type { EventOf } from './event.ts';
import { forgetMeasures } from './evolve-admission.ts';
import { countLanding } from './evolve-cycles.ts';
import { leaseOf, putLease } from './evolve-put.ts';
import { renewReservations } from './evolve-reservations.ts';
import { noteLanding, restartSigma } from './evolve-sigma.ts';
import { takeId } from './identity.ts';
import { ColonyIndex } from './index-of-state.ts';
import { learn } from './learning.ts';
import { rebuildSigmaIndex, rebuildTakeIndex } from './rebuild.ts';
import { externalRow } from './rows.ts';
import type { ColonyState } from './state.ts';

/** The colony begins. */
export function colonyCreated(state: ColonyState, event: EventOf<'colony-created'>): void {
  state.id = event.id;
  state.branch = event.branch;
  state.createdAt = event.at;
  state.tip = event.tip;
  state.notes = event.notes;
  state.packages = event.packages;
  state.policy = event.policy;
  state.random = event.seed;
  state.index = new ColonyIndex(event.policy, event.packages, state.admissions);
}

/** A new generation of ids and epochs; whoever holds a lease gets a full term, for nobody could be heard (C2c). */
export function booted(state: ColonyState, event: EventOf<'booted'>): void {
  state.generation = event.generation;
  state.counter = 0;
  const { leaseMs, repairWindowMs } = state.policy;
  for (const id of [...state.leases.keys()]) {
    const lease = { ...leaseOf(state, id), refreshedAt: event.at };
    const windowEndsAt = lease.windowEndsAt === null ? null : event.at + repairWindowMs;
    if (lease.expiresAt === null) putLease(state, lease);
    else putLease(state, { ...lease, expiresAt: windowEndsAt ?? event.at + leaseMs, windowEndsAt });
  }
  renewReservations(state, event.at);
  state.index.take.restoreWaits(state.index.take.waits(), event.at);
  forgetMeasures(state, event.at);
  state.landedSeconds = [];
  restartSigma(state, event.at);
  rebuildSigmaIndex(state);
}

/** Another policy: regions and the order of takes follow it. */
export function policySet(state: ColonyState, event: EventOf<'policy-set'>): void {
  state.policy = event.policy;
  rebuildTakeIndex(state, state.index.take.waits(), event.at);
}

/** Landing stands still. */
export function paused(state: ColonyState): void {
  state.freeze = { kind: 'paused' };
}

/** What queued meanwhile is one cycle (O4a). */
export function resumed(state: ColonyState, event: EventOf<'resumed'>): void {
  state.freeze = null;
  state.tip = event.tip;
  state.together = state.queue.length;
}

/** Someone else moved trunk forward (L6a). */
export function externalLanded(state: ColonyState, event: EventOf<'external-landed'>): void {
  takeId(state, event.landing);
  state.tip = event.to;
  state.lastExternal = { landing: event.landing, to: event.to };
  state.totals = { ...state.totals, external: state.totals.external + 1 };
  const { region } = externalRow(state, event);
  countLanding(state, region, event.at);
  noteLanding(state, event.landing, region, event.at);
  learn(state, { title: event.title, paths: event.writes.map(({ path }) => path) });
}

/** Someone else rewrote trunk: landing stands still (L6b). */
export function trunkRewound(state: ColonyState, event: EventOf<'trunk-rewound'>): void {
  state.freeze = { kind: 'rewound', found: event.found };
}

/** Something waits for a person. */
export function attentionRaised(state: ColonyState, event: EventOf<'attention-raised'>): void {
  takeId(state, event.attention);
  const { attention: id, attentionKind: kind, message, at, proposal, intent } = event;
  state.attention.set(id, { id, kind, message, at, proposal, intent });
}

/** It waits no more. */
export function attentionResolved(state: ColonyState, event: EventOf<'attention-resolved'>): void {
  state.attention.delete(event.attention);
}
