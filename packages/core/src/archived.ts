// What terminal things look like once they left the state: complete enough to answer every later question.

import type { AgentId, BatchId, CycleId, LandingId, LeaseId, Oid, ProposalId } from '@firetrident/base';
import type { ProposalStatus } from './command.ts';
import type { Intent, LandedWrite, PastReturn, Region, ResolvedRead } from './model.ts';

/** An intent that landed or closed, without what only a live one has. */
export type ArchivedIntent = Omit<Intent, 'lease' | 'waitingOn'>;

/** A proposal with its one outcome. */
export interface ArchivedProposal {
  readonly status: ProposalStatus;
  readonly intent: Intent['id'];
  readonly agent: AgentId;
  readonly lease: LeaseId;
  /** The return that it answered. With the lease it tells whether a key is used for the same request (L5b). */
  readonly repairOf: ProposalId | null;
  readonly key: string | null;
  readonly proposedAt: number;
  readonly settledAt: number;
}

/** What a return cost, and the landings that caused it: each is to blame for an equal part (R5). */
export interface ReturnedWork {
  readonly proposal: ProposalId;
  readonly intent: Intent['id'];
  readonly agent: AgentId;
  readonly causes: readonly LandingId[];
  /** The share of the work that was done again, 0 to 1; 1 while there is no repair. */
  readonly redone: number;
  readonly wastedMs: number;
  readonly wastedTokens: number;
}

/** One landing with its lineage. `external` landings have no proposal, intent or agent. */
export interface ArchivedLanding {
  readonly landing: LandingId;
  readonly commit: Oid;
  /** Set when someone else moved trunk; then the landing spans `commits` commits after this one. */
  readonly external: { readonly from: Oid; readonly commits: number } | null;
  readonly proposal: ProposalId | null;
  readonly intent: { readonly id: Intent['id'] | null; readonly title: string };
  readonly agent: { readonly id: AgentId | null; readonly name: string; readonly kind: string };
  readonly region: Region;
  readonly batch: BatchId | null;
  readonly cycle: CycleId | null;
  readonly base: Oid;
  readonly writes: readonly LandedWrite[];
  readonly reads: readonly ResolvedRead[];
  readonly merged: readonly string[];
  readonly unchanged: readonly string[];
  readonly returns: readonly PastReturn[];
  readonly takenAt: number | null;
  readonly proposedAt: number | null;
  readonly landedAt: number;
}
