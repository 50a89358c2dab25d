// The proposal that tests of the engine send: final, on the lease's base, without texts, key or derived reads.

import type { AgentId, LeaseId, Oid } from '@firetrident/base';
import type { ProposeRequest } from '@firetrident/engine';

/** Who proposes, under which lease, on which base. */
export interface Proposer {
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: Oid;
}

/** A request that says nothing but what it writes and read. */
export function proposeRequest(
  { agent, lease, epoch, base }: Proposer,
  writes: ProposeRequest['writes'],
  reads: ProposeRequest['reads'] = [],
): ProposeRequest {
  const plain = { final: true, deriveReads: false, title: null, message: null, key: null } as const;
  return { agent, lease, epoch, base: { commit: base }, ...plain, writes, reads };
}
