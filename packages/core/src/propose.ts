// Proposing a change under a lease.

import { type AgentId, ok, type ProposalId } from '@firetrident/base';
import { actingAgent, isRefusal } from './agents.ts';
import type { Applying, Decision } from './applying.ts';
import type { CommandOf, ProposalContent, ProposalStatus } from './command.ts';
import type { EventOf } from './event.ts';
import { nextId } from './identity.ts';
import { proposalKey } from './index-of-state.ts';
import { endedLease, heldLease } from './leases.ts';
import type { Proposal, ResolvedWrite } from './model.ts';
import type { Refusal } from './refusal.ts';
import { regionOfPaths } from './regions.ts';
import { heldBackBy, heldCount } from './reservations.ts';
import type { ColonyState, LiveLease } from './state.ts';

type Propose = CommandOf<'propose'>;

/** Queues a proposal; a key that is known answers with its proposal, an old epoch with "superseded" (L5, C2, C5). */
export function propose(applying: Applying, command: Propose): Decision<'propose'> {
  const { state } = applying;
  const known = command.key === null ? undefined : proposalByKey(state, command.agent, command.key);
  if (known !== undefined) return repeated(applying, command, known);
  const agent = actingAgent(state, command.agent);
  if (isRefusal(agent)) return applying.refuse(agent);
  const tooMuch = checkContent(state, command.content);
  if (tooMuch !== null) return applying.refuse(tooMuch);
  if (isLate(state, command)) return supersede(applying, command);
  const lease = heldLease(state, command);
  if (isRefusal(lease)) return applying.refuse(lease);
  const refusal = checkTurn(state, lease, command);
  if (refusal !== null) return applying.refuse(refusal);
  const predecessor = predecessorOf(state, lease, command.predecessor);
  if (typeof predecessor === 'object' && predecessor !== null) return applying.refuse(predecessor);
  const { base, final, title, message, key, content } = command;
  const proposal = queue(applying, lease, content, {
    base,
    predecessor,
    final,
    title,
    message,
    key,
    repairOf: null,
    answer: null,
    tokens: command.tokens ?? 0,
    returns: [],
  });
  return ok({ state: 'queued', proposal, heldBack: null });
}

/** A live or just settled proposal of an agent, by its key (L5). */
export function proposalByKey(state: ColonyState, agent: AgentId, key: string): ProposalId | undefined {
  return state.index.proposalKeys.get(proposalKey(agent, key));
}

/** What a live or just settled proposal stands at; null when it left the state long ago or never was. */
export function proposalStatus(state: ColonyState, id: ProposalId): ProposalStatus | null {
  const proposal = state.proposals.get(id);
  if (proposal === undefined) return state.recentProposals.get(id)?.row.status ?? null;
  if (proposal.brief !== null) return { state: 'returned', proposal: id, brief: proposal.brief };
  return { state: 'queued', proposal: id, heldBack: heldBackBy(state, id) };
}

/** The same key again: the same request, unless it is about another lease or other writes (L5b). */
function repeated(applying: Applying, command: Propose, known: ProposalId): Decision<'propose'> {
  const { state } = applying;
  const live = state.proposals.get(known);
  const lease = live?.lease ?? state.recentProposals.get(known)?.row.lease;
  const status = proposalStatus(state, known);
  const same = lease === command.lease && (live === undefined || sameWrites(live.writes, command.content.writes));
  if (status === null || !same) {
    return applying.refuse({ code: 'key_reused', key: command.key ?? '', proposal: known });
  }
  return ok(status);
}

function sameWrites(left: readonly ResolvedWrite[], right: readonly ResolvedWrite[]): boolean {
  if (left.length !== right.length) return false;
  const byPath = new Map(left.map((write) => [write.path, write.after]));
  return right.every(({ path, after }) => {
    const other = byPath.get(path);
    return other !== undefined && other?.oid === after?.oid && other?.mode === after?.mode;
  });
}

/** Bounds on one proposal and on all that are queued. */
export function checkContent(state: ColonyState, content: ProposalContent): Refusal | null {
  const { limits } = state.policy;
  const { writes, reads } = content;
  if (writes.length > limits.writesPerProposal) return limitReached('writesPerProposal', limits.writesPerProposal);
  if (reads.length > limits.readsPerProposal) return limitReached('readsPerProposal', limits.readsPerProposal);
  const out = state.queue.length + heldCount(state) + state.cycleOrder.length + state.preserving.size;
  if (out >= limits.queuedProposals) return limitReached('queuedProposals', limits.queuedProposals);
  return null;
}

function limitReached(
  limit: 'writesPerProposal' | 'readsPerProposal' | 'queuedProposals' | 'chainLength',
  bound: number,
): Refusal {
  return { code: 'limit_reached', limit, bound };
}

/** Whether the agent once held the lease, but under an epoch that is over (C2d). */
function isLate(state: ColonyState, command: Propose): boolean {
  const live = state.leases.get(command.lease);
  if (live !== undefined) return live.agent === command.agent && command.epoch < live.epoch;
  return endedLease(state, command.lease)?.agent === command.agent;
}

/** The work of a late agent lands nowhere, but it is kept (C2d, C4a). */
function supersede(applying: Applying, command: Propose): Decision<'propose'> {
  const { state, now } = applying;
  const { lease, agent, base, key } = command;
  const { writes } = command.content;
  const intent = (state.leases.get(lease) ?? endedLease(state, lease))?.intent;
  if (intent === undefined) return applying.refuse({ code: 'unknown_lease', lease });
  const proposal = nextId(state, 'prp');
  const preserved = writes.length === 0 ? null : nextId(state, 'prs', 2);
  applying.emit({ kind: 'superseded', proposal, lease, agent, intent, base, key, writes, preserved });
  const asked = preserved === null ? undefined : state.preserving.get(preserved);
  if (asked !== undefined) applying.effect({ kind: 'preserve', preserved: asked });
  const status: ProposalStatus = { state: 'superseded', proposal, preserved };
  const row = { status, intent, agent, lease, repairOf: null, key, proposedAt: now, settledAt: now };
  applying.effect({ kind: 'archive-proposal', id: proposal, key, row });
  applying.effect({ kind: 'settled', proposal, agent });
  return ok(status);
}

/** Whether it is the agent's turn: one final proposal at a time, parts of a chain as many as the bound allows (C5a). */
function checkTurn(state: ColonyState, lease: LiveLease, command: Propose): Refusal | null {
  const out = lease.proposals.map((id) => state.proposals.get(id)).filter((proposal) => proposal !== undefined);
  const blocking = out.find((proposal) => proposal.final) ?? unansweredReturn(out, command.predecessor);
  if (blocking !== undefined) return { code: 'proposal_pending', lease: lease.id, proposal: blocking.id };
  const bound = state.policy.limits.chainLength;
  if (out.length >= bound) return limitReached('chainLength', bound);
  const closesChain = lease.open && command.final;
  if (command.content.writes.length === 0 && !closesChain) return { code: 'no_change' };
  return null;
}

/** A return is answered by a repair; only a later part that names its predecessor may join the chain meanwhile (C5d). */
function unansweredReturn(out: readonly Proposal[], predecessor: ProposalId | null): Proposal | undefined {
  return predecessor === null ? out.find((proposal) => proposal.state === 'returned') : undefined;
}

/** A chain is a line: a part follows the last one that is out, or trunk when all before it landed (C5c). */
function predecessorOf(state: ColonyState, lease: LiveLease, named: ProposalId | null): ProposalId | null | Refusal {
  const last = lease.proposals[lease.proposals.length - 1] ?? null;
  if (named === null || lease.proposals.includes(named)) return last;
  const recent = state.recentProposals.get(named);
  const outcome = recent?.row.status.state;
  const standsOnTrunk = recent?.row.intent === lease.intent && (outcome === 'landed' || outcome === 'unchanged');
  return standsOnTrunk ? last : { code: 'unknown_predecessor', proposal: named };
}

type Standing = Pick<
  EventOf<'proposed'>,
  'base' | 'predecessor' | 'final' | 'title' | 'message' | 'key' | 'repairOf' | 'answer' | 'tokens' | 'returns'
>;

/** Puts a proposal into the lane of its region (G2). */
export function queue(applying: Applying, lease: LiveLease, content: ProposalContent, standing: Standing): ProposalId {
  const { state } = applying;
  const proposal = nextId(state, 'prp');
  const paths = content.writes.map((write) => write.path);
  const region = regionOfPaths(paths, state.policy.regionDepth, state.index.packages);
  applying.emit({ kind: 'proposed', proposal, lease: lease.id, ...content, region, ...standing });
  return proposal;
}
