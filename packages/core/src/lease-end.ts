// How a lease ends, and what becomes of its intent and of work that did not land.

import type { IntentId, LeaseId } from '@firetrident/base';
import type { Applying } from './applying.ts';
import { addAttention } from './attention.ts';
import type { LeaseEnd } from './event.ts';
import { intentOf, leaseOf, proposalOf } from './evolve-put.ts';
import { nextId } from './identity.ts';
import type { PreserveReason, Proposal } from './model.ts';
import { endReservation } from './reservations.ts';
import { intentRow, returnedRow } from './rows.ts';

/**
 * Ends a lease. Returned proposals that nobody will repair any more are archived as such, and their content is
 * preserved under `why` (C4a). No proposal of it may be queued.
 */
export function endLease(applying: Applying, id: LeaseId, end: LeaseEnd, why: PreserveReason): void {
  endReservation(applying, id, 'lease-ended');
  for (const proposalId of leaseOf(applying.state, id).proposals) {
    const proposal = proposalOf(applying.state, proposalId);
    preserve(applying, proposal, why);
    archiveReturned(applying, proposal);
  }
  applying.emit({ kind: 'lease-ended', lease: id, why: end });
}

/** Asks for a proposal's content to be kept under a ref (C4a). Nothing is kept of a proposal without writes. */
export function preserve(applying: Applying, proposal: Proposal, why: PreserveReason): void {
  const { id, agent, intent, base, writes } = proposal;
  if (writes.length === 0) return;
  const preserved = nextId(applying.state, 'prs');
  applying.emit({ kind: 'preserve-asked', preserved, agent, intent, proposal: id, base, writes, why });
  const asked = { id: preserved, agent, intent, proposal: id, base, writes, why, at: applying.now, commit: null };
  applying.effect({ kind: 'preserve', preserved: asked });
}

/** A returned proposal leaves the state with the outcome that it has (R2b). */
export function archiveReturned(applying: Applying, proposal: Proposal): void {
  const row = returnedRow(proposal, applying.now);
  applying.effect({ kind: 'archive-proposal', id: proposal.id, key: proposal.key, row });
}

/** An intent without a lease is open again; a failed attempt counts, and too many of them block it (T8c). */
export function reopenIntent(applying: Applying, id: IntentId, failed: boolean, reason: string | null): void {
  const intent = intentOf(applying.state, id);
  const attempts = intent.attempts + (failed ? 1 : 0);
  if (failed && attempts >= applying.state.policy.maxAttempts) {
    const why = reason ?? 'no attempt succeeded';
    applying.emit({ kind: 'intent-blocked', intent: id, attempts, reason: why });
    const message = `"${intent.title}" failed ${attempts} times and waits for a person: ${why}`;
    addAttention(applying, 'intent-blocked', message, null, id);
    return;
  }
  applying.emit({ kind: 'intent-opened', intent: id, attempts, reason });
}

/** The intent is over: landed when something of it landed, else closed (T8a). */
export function finishIntent(applying: Applying, id: IntentId, reason: string): void {
  const intent = intentOf(applying.state, id);
  const landed = intent.landings.length > 0;
  const row = intentRow(intent, landed ? 'landed' : 'closed', landed ? null : reason);
  if (landed) applying.emit({ kind: 'intent-landed', intent: id });
  else applying.emit({ kind: 'intent-closed', intent: id, reason });
  applying.effect({ kind: 'archive-intent', id, key: intent.key, row });
}
