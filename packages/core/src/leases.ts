// What an agent does under its lease besides proposing, and what time does to leases.

import { type AgentId, assert, type LeaseId, ok, type ProposalId } from '@firetrident/base';
import { whyColonyIsBusy } from './admission.ts';
import { actingAgent, expireJoinTokens, isRefusal } from './agents.ts';
import { type Applying, type Decision, done } from './applying.ts';
import { anyContendedDue } from './choose.ts';
import type { CommandOf, SeenFile } from './command.ts';
import type { LeaseEnd } from './event.ts';
import { leaseOf } from './evolve-put.ts';
import { endLease, finishIntent, reopenIntent } from './lease-end.ts';
import type { Refusal } from './refusal.ts';
import { expireReservations } from './reservations.ts';
import { evaluateSigma } from './sigma.ts';
import type { ColonyState, EndedLease, LiveLease } from './state.ts';
import { goneAt } from './strength.ts';

interface Holder {
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly epoch: number;
}

/** The record of a lease that is over. */
export function endedLease(state: ColonyState, id: LeaseId): EndedLease | undefined {
  return state.lostLeases.get(id) ?? state.settledLeases.get(id);
}

/** The lease under which an agent acts, or why it cannot (C2a). */
export function heldLease(state: ColonyState, holder: Holder): LiveLease | Refusal {
  const agent = actingAgent(state, holder.agent);
  if (isRefusal(agent)) return agent;
  const lease = state.leases.get(holder.lease);
  const held = lease ?? endedLease(state, holder.lease);
  if (held === undefined) return { code: 'unknown_lease', lease: holder.lease };
  if (held.agent !== holder.agent) return { code: 'not_your_lease', lease: holder.lease };
  const current = currentEpoch(state, held);
  if (lease === undefined || holder.epoch !== lease.epoch) {
    return { code: 'stale_epoch', lease: holder.lease, epoch: holder.epoch, current };
  }
  return lease;
}

/** The epoch that counts for the intent of a lease: the live lease's, or the one that came after a lease that is over. */
function currentEpoch(state: ColonyState, held: EndedLease | LiveLease): number {
  return state.intents.get(held.intent)?.epoch ?? held.epoch + 1;
}

/** Extends the lease, refreshes its claims and remembers what was read; a window keeps its end, a clock that stands still keeps standing (C1b, C3). */
export function heartbeat(applying: Applying, command: CommandOf<'heartbeat'>): Decision<'heartbeat'> {
  const { state, now } = applying;
  const lease = heldLease(state, command);
  if (isRefusal(lease)) return applying.refuse(lease);
  // Claims that had evaporated come back with those of the intent.
  const predicted = lease.claims.length === 0 ? (state.intents.get(lease.intent)?.paths ?? []) : [];
  const known = new Set(lease.claims.filter((claim) => !lease.learnedClaims.includes(claim)));
  const claims = [...new Set([...predicted, ...command.claims])].filter((claim) => !known.has(claim));
  const bound = state.policy.limits.claimsPerLease;
  if (lease.claims.length + claims.length > bound) {
    return applying.refuse({ code: 'limit_reached', limit: 'claimsPerLease', bound });
  }
  const reads = newReads(lease, command.reads ?? []);
  const readBound = state.policy.limits.recordedReadsPerLease;
  const unknown = reads.filter(({ path }) => !lease.recorded.has(path)).length;
  if (unknown > 0 && lease.recorded.size + unknown > readBound) {
    return applying.refuse({ code: 'limit_reached', limit: 'recordedReadsPerLease', bound: readBound });
  }
  const extended = lease.windowEndsAt ?? now + state.policy.leaseMs;
  const expiresAt = lease.expiresAt === null ? null : extended;
  applying.emit({ kind: 'heartbeat', lease: lease.id, expiresAt, claims });
  for (const { path, blob, at, source = 'told' } of reads) {
    applying.emit({ kind: 'read-recorded', lease: lease.id, path, blob, seen: at, source });
  }
  return ok({ expiresAt });
}

/** What of an agent's reads is not known as it is, once for each path: of two readings the later counts. */
function newReads(lease: LiveLease, seen: readonly SeenFile[]) {
  const byPath = new Map(seen.map((read) => [read.path, { ...read, at: read.at ?? lease.base }]));
  return [...byPath.values()].filter(({ path, blob, at }) => {
    const known = lease.recorded.get(path);
    return known === undefined || known.blob !== blob || known.at !== at;
  });
}

/** Remembers a file that was served under the lease; of two readings of one path the later counts. */
export function recordRead(applying: Applying, command: CommandOf<'record-read'>): Decision<'record-read'> {
  const { state } = applying;
  const { lease: id, path, blob, at: seen, source } = command;
  const lease = state.leases.get(id);
  if (lease === undefined) return applying.refuse({ code: 'unknown_lease', lease: id });
  const known = lease.recorded.get(path);
  if (known !== undefined && known.blob === blob && known.at === seen) return done;
  const bound = state.policy.limits.recordedReadsPerLease;
  if (known === undefined && lease.recorded.size >= bound) {
    return applying.refuse({ code: 'limit_reached', limit: 'recordedReadsPerLease', bound });
  }
  const told = source === undefined ? {} : { source };
  applying.emit({ kind: 'read-recorded', lease: id, path, blob, seen, ...told });
  return done;
}

/** The lease if nothing of it is queued: what is queued must settle before the agent can let go. */
function idleLease(applying: Applying, holder: Holder): LiveLease | Refusal {
  const lease = heldLease(applying.state, holder);
  if (isRefusal(lease)) return lease;
  const queued = queuedOf(applying.state, lease);
  return queued === undefined ? lease : { code: 'proposal_pending', lease: lease.id, proposal: queued };
}

/** The oldest proposal of a lease that is queued. */
export function queuedOf(state: ColonyState, lease: LiveLease): ProposalId | undefined {
  return lease.proposals.find((id) => state.proposals.get(id)?.state === 'queued');
}

/** Gives the intent back; this is no failed attempt (T8d). */
export function release(applying: Applying, command: CommandOf<'release'>): Decision<'release'> {
  return letGo(applying, command, 'released', (intent) => reopenIntent(applying, intent, false, command.why));
}

/** The work failed: one more attempt counts (T8b). */
export function fail(applying: Applying, command: CommandOf<'fail'>): Decision<'fail'> {
  return letGo(applying, command, 'failed', (intent) => reopenIntent(applying, intent, true, command.why));
}

/** Nothing is left to change (T8a). */
export function complete(applying: Applying, command: CommandOf<'complete'>): Decision<'complete'> {
  return letGo(applying, command, 'completed', (intent) => finishIntent(applying, intent, command.why));
}

function letGo(
  applying: Applying,
  holder: Holder,
  end: LeaseEnd,
  next: (intent: LiveLease['intent']) => void,
): { readonly ok: true; readonly value: null } | { readonly ok: false; readonly error: Refusal } {
  const lease = idleLease(applying, holder);
  if (isRefusal(lease)) return applying.refuse(lease);
  endLease(applying, lease.id, end, 'released');
  next(lease.intent);
  return done;
}

/** Time has passed: leases run out, claims evaporate, join tokens end (C1c, C2d, A2). */
export function tick(applying: Applying): Decision<'tick'> {
  const { state, now } = applying;
  for (let due = state.index.deadlines.first(); due !== undefined && due.at <= now; ) {
    const { id, intent } = leaseOf(state, due.lease);
    endLease(applying, id, 'expired', 'lease-expired');
    reopenIntent(applying, intent, true, 'the lease ran out');
    const next = state.index.deadlines.first();
    assert(next !== due, 'an expired lease is gone');
    due = next;
  }
  expireReservations(applying);
  evaporateClaims(applying);
  expireJoinTokens(applying);
  evaluateSigma(applying);
  if (anyContendedDue(state, now) || roomAgain(state, now)) applying.effect({ kind: 'work-available' });
  return done;
}

/** Whether the colony takes on work again after its writer was behind: time alone may have made it so (T6e). */
function roomAgain(state: ColonyState, now: number): boolean {
  return state.pace.perSecond !== null && state.index.take.size > 0 && whyColonyIsBusy(state, now) === null;
}

function evaporateClaims(applying: Applying): void {
  const { state, now } = applying;
  for (;;) {
    const oldest = state.index.refreshed.first();
    if (oldest === undefined || goneAt(state.policy, oldest.at) > now) return;
    applying.emit({ kind: 'claims-ended', lease: oldest.lease, why: 'evaporated' });
  }
}
