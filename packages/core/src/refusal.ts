// Every expected "no" of the core, with its facts. A refused command has no event and no effect.

import type { AgentId, AttentionId, IntentId, LeaseId, ProposalId, TreePath } from '@firetrident/base';
import type { IntentState } from './model.ts';
import type { Limits } from './policy.ts';

/** An expected "no", with its facts. */
export type Refusal =
  | { readonly code: 'unknown_intent'; readonly intent: string }
  | { readonly code: 'unknown_agent'; readonly agent: AgentId }
  | { readonly code: 'unknown_lease'; readonly lease: LeaseId }
  | { readonly code: 'unknown_proposal'; readonly proposal: ProposalId }
  | { readonly code: 'unknown_attention'; readonly attention: AttentionId }
  | { readonly code: 'unknown_join_token' }
  | { readonly code: 'join_token_spent' }
  | { readonly code: 'agent_stopped'; readonly agent: AgentId }
  /** The lease belongs to another agent. */
  | { readonly code: 'not_your_lease'; readonly lease: LeaseId }
  | { readonly code: 'stale_epoch'; readonly lease: LeaseId; readonly epoch: number; readonly current: number }
  | { readonly code: 'intent_not_open'; readonly intent: IntentId; readonly state: IntentState }
  | { readonly code: 'intent_waits'; readonly intent: IntentId; readonly waitingOn: readonly IntentId[] }
  | { readonly code: 'intent_not_editable'; readonly intent: IntentId; readonly state: IntentState }
  | { readonly code: 'dependency_cycle'; readonly intent: string }
  | { readonly code: 'unknown_dependency'; readonly dependency: string }
  | { readonly code: 'limit_reached'; readonly limit: keyof Limits; readonly bound: number }
  /** A final proposal of this lease is out: nothing more can be proposed until it settles. */
  | { readonly code: 'proposal_pending'; readonly lease: LeaseId; readonly proposal: ProposalId }
  | { readonly code: 'not_returned'; readonly proposal: ProposalId }
  | { readonly code: 'confirm_needs_writes'; readonly proposal: ProposalId; readonly path: TreePath }
  | { readonly code: 'repair_out_of_order'; readonly proposal: ProposalId; readonly predecessor: ProposalId }
  | { readonly code: 'unknown_predecessor'; readonly proposal: ProposalId }
  | { readonly code: 'key_reused'; readonly key: string; readonly proposal: ProposalId }
  | { readonly code: 'no_change' }
  | { readonly code: 'landing_not_frozen' };

/** The codes of all refusals. */
export type RefusalCode = Refusal['code'];
