// Answering a return: confirm, amend or redo, each as a new proposal linked to the old one (R3).

import { type LandingId, no, ok, type ProposalId, type Result } from '@firetrident/base';
import { isRefusal } from './agents.ts';
import type { Applying, Decision } from './applying.ts';
import type { CommandOf, ProposalContent } from './command.ts';
import { archiveReturned } from './lease-end.ts';
import { heldLease } from './leases.ts';
import type { Brief, PastReturn, Proposal, ResolvedRead } from './model.ts';
import { checkContent, proposalByKey, proposalStatus, queue } from './propose.ts';
import type { Refusal } from './refusal.ts';
import type { ColonyState, LiveLease } from './state.ts';
import { bookRepair } from './waste.ts';

type Repair = CommandOf<'repair'>;

interface Returned extends Proposal {
  readonly brief: Brief;
}

/** Queues the answer to a return (R2, R3). The return keeps its outcome. */
export function repair(applying: Applying, command: Repair): Decision<'repair'> {
  const { state } = applying;
  const known = command.key === null ? undefined : proposalByKey(state, command.agent, command.key);
  if (known !== undefined) return repeated(applying, command, known);
  const lease = heldLease(state, command);
  if (isRefusal(lease)) return applying.refuse(lease);
  const returned = returnedProposal(state, lease, command.proposal);
  if (isRefusal(returned)) return applying.refuse(returned);
  const content = repairedContent(returned, command);
  if (!content.ok) return applying.refuse(content.error);
  const tooMuch = checkContent(state, content.value);
  if (tooMuch !== null) return applying.refuse(tooMuch);
  archiveReturned(applying, returned);
  bookRepair(applying, returned, returned.brief, content.value.writes);
  const { final, title, message } = returned;
  const proposal = queue(applying, lease, content.value, {
    base: command.answer === 'redo' ? (command.base ?? returned.brief.trunk) : returned.base,
    predecessor: partBefore(lease, returned.id),
    final,
    title,
    message,
    key: command.key,
    repairOf: returned.id,
    answer: command.answer,
    tokens: command.tokens ?? 0,
    returns: [...returned.returns, pastReturn(returned)],
  });
  return ok({ state: 'queued', proposal, heldBack: null });
}

/** The same key again is the same answer, unless it answered another return (L5b). */
function repeated(applying: Applying, command: Repair, known: ProposalId): Decision<'repair'> {
  const { state } = applying;
  const answered = (state.proposals.get(known) ?? state.recentProposals.get(known)?.row)?.repairOf;
  const status = proposalStatus(state, known);
  if (status !== null && answered === command.proposal) return ok(status);
  return applying.refuse({ code: 'key_reused', key: command.key ?? '', proposal: known });
}

/** The return that is answered: still out, of this lease, and with no earlier part unanswered (R2c, O3b). */
function returnedProposal(state: ColonyState, lease: LiveLease, id: ProposalId): Returned | Refusal {
  const proposal = state.proposals.get(id);
  if (proposal === undefined && !state.recentProposals.has(id)) return { code: 'unknown_proposal', proposal: id };
  if (proposal === undefined || proposal.lease !== lease.id || proposal.brief === null) {
    return { code: 'not_returned', proposal: id };
  }
  const earlier = lease.proposals.slice(0, lease.proposals.indexOf(id));
  const unanswered = earlier.find((other) => state.proposals.get(other)?.state === 'returned');
  if (unanswered !== undefined) return { code: 'repair_out_of_order', proposal: id, predecessor: unanswered };
  return { ...proposal, brief: proposal.brief };
}

/** The part of the chain before this one that is still out; all earlier ones are queued. */
function partBefore(lease: LiveLease, id: ProposalId): ProposalId | null {
  return lease.proposals[lease.proposals.indexOf(id) - 1] ?? null;
}

function pastReturn(returned: Returned): PastReturn {
  const moved = [...returned.brief.reads, ...returned.brief.writes];
  const landings = moved
    .map((entry) => entry.cause.landing)
    .filter((landing): landing is LandingId => landing !== null);
  return { proposal: returned.id, causes: [...new Set(landings)] };
}

function repairedContent(returned: Returned, command: Repair): Result<ProposalContent, Refusal> {
  const sent = command.content ?? { writes: [], reads: [] };
  switch (command.answer) {
    case 'confirm':
      return confirmed(returned);
    case 'amend':
      return ok(amended(returned, sent));
    case 'redo':
      return sent.writes.length > 0 || mayBeEmpty(returned) ? ok(sent) : no({ code: 'no_change' });
  }
}

/** Only a part of a chain, or what had no writes before, may say that nothing is left to write. */
function mayBeEmpty(returned: Returned): boolean {
  return !returned.final || returned.predecessor !== null || returned.writes.length === 0;
}

/** Everything as it was, the reads that moved taken as the brief shows them; a write that conflicts needs more (R3a). */
function confirmed(returned: Returned): Result<ProposalContent, Refusal> {
  const conflict = returned.brief.writes.find((write) => write.kind !== 'chain');
  if (conflict !== undefined) return no({ code: 'confirm_needs_writes', proposal: returned.id, path: conflict.path });
  return ok({ writes: returned.writes, reads: rebased(returned.reads, returned.brief) });
}

/** What is sent again replaces what it names; every other write keeps the base that it was made against (R3b). */
function amended(returned: Returned, sent: ProposalContent): ProposalContent {
  const writtenAgain = new Set(sent.writes.map((write) => write.path));
  const readAgain = new Set(sent.reads.map(thingRead));
  return {
    writes: [...returned.writes.filter((write) => !writtenAgain.has(write.path)), ...sent.writes],
    reads: [
      ...rebased(returned.reads, returned.brief).filter((read) => !readAgain.has(thingRead(read))),
      ...sent.reads,
    ],
  };
}

/** The reads with each one that the brief names at what the brief shows. A basis that is gone is written as "". */
function rebased(reads: readonly ResolvedRead[], brief: Brief): readonly ResolvedRead[] {
  const now = new Map(brief.reads.map((stale) => [thingRead(stale.read), stale.now]));
  return reads.map((read) => {
    const basis = now.get(thingRead(read));
    if (basis === undefined) return read;
    if (read.kind === 'file' || read.kind === 'lines') return { ...read, at: brief.trunk, basis };
    return { ...read, at: brief.trunk, basis: basis ?? '' };
  });
}

/** What a read is a read of: equal for two readings of one thing. */
export function thingRead(read: ResolvedRead): string {
  switch (read.kind) {
    case 'file':
    case 'dir':
      return `${read.kind} ${read.path}`;
    case 'glob':
      return `glob ${read.glob}`;
    case 'symbol':
      return `symbol ${read.signature} ${JSON.stringify([read.path, read.symbol])}`;
    case 'lines':
      return `lines ${read.from}-${read.to} ${read.path}`;
  }
}
