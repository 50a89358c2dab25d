// Putting one live thing into the state together with its place in the index.

import { type AgentId, defined, type IntentId, type LeaseId, type ProposalId, type TreePath } from '@firetrident/base';
import { proposalKey } from './index-of-state.ts';
import type { Intent, Proposal, RecordedRead } from './model.ts';
import { type ColonyState, type LiveLease, memory, type RecentProposal, remember } from './state.ts';

/** The live intent `id`; it must exist. */
export function intentOf(state: ColonyState, id: IntentId): Intent {
  return defined(state.intents.get(id), `intent ${id}`);
}

/** The live lease `id`; it must exist. */
export function leaseOf(state: ColonyState, id: LeaseId): LiveLease {
  return defined(state.leases.get(id), `lease ${id}`);
}

/** The live proposal `id`; it must exist. */
export function proposalOf(state: ColonyState, id: ProposalId): Proposal {
  return defined(state.proposals.get(id), `proposal ${id}`);
}

/** Puts an intent in, new or changed. */
export function putIntent(state: ColonyState, intent: Intent, at: number): void {
  const before = state.intents.get(intent.id) ?? null;
  state.intents.set(intent.id, intent);
  state.index.intentChanged(before, intent, at);
}

/** Takes an intent out. */
export function dropIntent(state: ColonyState, id: IntentId, at: number): void {
  const before = intentOf(state, id);
  state.intents.delete(id);
  state.index.intentChanged(before, null, at);
}

/** Puts a lease in, new or changed. */
export function putLease(state: ColonyState, lease: LiveLease): void {
  state.index.leaseChanged(state.leases.get(lease.id) ?? null, lease);
  state.leases.set(lease.id, lease);
}

/** Takes a lease out. */
export function dropLease(state: ColonyState, id: LeaseId): void {
  const lease = leaseOf(state, id);
  state.index.leaseChanged(lease, null);
  for (const path of lease.recorded.keys()) state.index.watch.removePath(path, id);
  state.leases.delete(id);
}

/** Keeps what was served under a lease. */
export function recordServed(state: ColonyState, id: LeaseId, path: TreePath, served: RecordedRead): void {
  leaseOf(state, id).recorded.set(path, served);
  state.index.watch.addPath(path, id);
}

/** Forgets what was served at a path. */
export function forgetServed(state: ColonyState, id: LeaseId, path: TreePath): void {
  if (leaseOf(state, id).recorded.delete(path)) state.index.watch.removePath(path, id);
}

/** Puts a proposal in, new or changed. */
export function putProposal(state: ColonyState, proposal: Proposal): void {
  const before = state.proposals.get(proposal.id);
  state.proposals.set(proposal.id, proposal);
  if (before?.state !== 'returned' && proposal.state === 'returned') state.index.watch.addReturned(proposal);
  if (proposal.key !== null) state.index.proposalKeys.set(proposalKey(proposal.agent, proposal.key), proposal.id);
}

/** Forgets an agent that was stopped and holds nothing any more. */
export function dropAgentWhenDone(state: ColonyState, id: AgentId, at: number): void {
  const agent = defined(state.agents.get(id), `agent ${id}`);
  if (agent.state !== 'stopped' || agent.leases.length > 0) return;
  state.agents.delete(id);
  remember(state.stoppedAgents, id, at, memory.stoppedAgents);
}

/** A proposal leaves the live ones; its answer stays at hand for a while. */
export function settleProposal(state: ColonyState, recent: RecentProposal): void {
  const id = recent.row.status.proposal;
  const proposal = state.proposals.get(id);
  state.proposals.delete(id);
  if (proposal !== undefined) {
    if (proposal.state === 'returned') state.index.watch.removeReturned(proposal);
    const lease = leaseOf(state, proposal.lease);
    putLease(state, { ...lease, proposals: lease.proposals.filter((other) => other !== id) });
  }
  rememberProposal(state, recent);
}

/** Keeps an outcome at hand for a while, by id and key. */
export function rememberProposal(state: ColonyState, recent: RecentProposal): void {
  const { status, agent, key } = recent.row;
  if (key !== null) state.index.proposalKeys.set(proposalKey(agent, key), status.proposal);
  const forgotten = remember(state.recentProposals, status.proposal, recent, memory.recentProposals);
  if (forgotten === null) return;
  const row = forgotten[1].row;
  if (row.key !== null) state.index.proposalKeys.delete(proposalKey(row.agent, row.key));
}
