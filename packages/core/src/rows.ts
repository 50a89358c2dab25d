// What goes to the archive, made from what is alive.

import { defined } from '@firetrident/base';
import type { ArchivedIntent, ArchivedLanding, ArchivedProposal } from './archived.ts';
import type { ProposalStatus } from './command.ts';
import type { EventOf } from './event.ts';
import type { Agent, Cycle, Intent, IntentState, Outcome, Proposal } from './model.ts';
import { regionOfPaths } from './regions.ts';
import type { ColonyState } from './state.ts';

/** The archived form of a proposal with its outcome. */
export function settledRow(proposal: Proposal, status: ProposalStatus, at: number): ArchivedProposal {
  const { intent, agent, lease, repairOf, key, proposedAt } = proposal;
  return { status, intent, agent, lease, repairOf, key, proposedAt, settledAt: at };
}

/** The archived form of a returned proposal: its one outcome stays "returned", whatever came after (R2b). */
export function returnedRow(proposal: Proposal, at: number): ArchivedProposal {
  const brief = defined(proposal.brief, `brief of the returned proposal ${proposal.id}`);
  return settledRow(proposal, { state: 'returned', proposal: proposal.id, brief }, at);
}

/** The answer that an outcome of a cycle gives; null when the proposal queues again. */
export function statusOf(outcome: Outcome): ProposalStatus | null {
  switch (outcome.kind) {
    case 'landed': {
      const { proposal, landing, commit, merged, unchanged } = outcome;
      return { state: 'landed', proposal, landing, commit, merged, unchanged };
    }
    case 'unchanged':
      return { state: 'unchanged', proposal: outcome.proposal, unchanged: outcome.unchanged };
    case 'returned':
      return { state: 'returned', proposal: outcome.proposal, brief: outcome.brief };
    case 'rejected':
      return { state: 'rejected', proposal: outcome.proposal, reasons: outcome.reasons };
    case 'deferred':
      return null;
  }
}

/** The archived form of an intent that is over. */
export function intentRow(intent: Intent, state: IntentState, reason: string | null): ArchivedIntent {
  const { lease: _lease, waitingOn: _waitingOn, ...kept } = intent;
  return { ...kept, state, reason };
}

/** The archived form of a landing of this colony. */
export function landingRow(
  outcome: Extract<Outcome, { kind: 'landed' }>,
  proposal: Proposal,
  intent: Intent,
  agent: Agent,
  cycle: Cycle,
  at: number,
): ArchivedLanding {
  const { landing, commit, batch, writes, merged, unchanged } = outcome;
  const { region, base, reads, returns, takenAt, proposedAt } = proposal;
  return {
    landing,
    commit,
    external: null,
    proposal: proposal.id,
    intent: { id: intent.id, title: intent.title },
    agent: { id: agent.id, name: agent.name, kind: agent.kind },
    region,
    batch,
    cycle: cycle.id,
    base,
    writes,
    reads,
    merged,
    unchanged,
    returns,
    takenAt,
    proposedAt,
    landedAt: at,
  };
}

/** The archived form of a landing by someone else (L6). */
export function externalRow(state: ColonyState, event: EventOf<'external-landed'>): ArchivedLanding {
  const { landing, from, to, commits, title, writes, at } = event;
  const paths = writes.map((write) => write.path);
  return {
    landing,
    commit: to,
    external: { from, commits },
    proposal: null,
    intent: { id: null, title },
    agent: { id: null, name: 'external', kind: 'external' },
    region: regionOfPaths(paths, state.policy.regionDepth, state.index.packages),
    batch: null,
    cycle: null,
    base: from,
    writes,
    reads: [],
    merged: [],
    unchanged: [],
    returns: [],
    takenAt: null,
    proposedAt: null,
    landedAt: at,
  };
}
