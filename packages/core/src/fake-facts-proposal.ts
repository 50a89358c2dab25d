// A proposal with everything filled in that planning does not look at.

import type { ProposalId } from '@firetrident/base';
import { fakeHash } from './fake-facts-content.ts';
import type { Proposal, ResolvedRead, ResolvedWrite } from './model.ts';
import type { PlanInput } from './plan-port.ts';

/** What a fake proposal is told. */
export interface FakeProposal {
  readonly id: ProposalId;
  readonly writes?: readonly ResolvedWrite[];
  readonly reads?: readonly ResolvedRead[];
  readonly predecessor?: ProposalId | null;
}

/** A queued proposal; its intent and agent are named after it. */
export function fakeProposal({ id, writes = [], reads = [], predecessor = null }: FakeProposal): Proposal {
  const name = id.slice('prp_'.length);
  return {
    id,
    key: null,
    intent: `int_${name}`,
    agent: `agt_${name}`,
    lease: `lse_${name}`,
    epoch: 1,
    base: fakeHash('base'),
    predecessor,
    final: true,
    title: null,
    message: null,
    writes,
    reads,
    region: '.',
    proposedAt: 0,
    takenAt: 0,
    workMs: 0,
    tokens: 0,
    state: 'queued',
    repairOf: null,
    returns: [],
    brief: null,
  };
}

/** The input of a cycle of these proposals, with a landing id and a title for each, unless told otherwise. */
export function fakeCycle(proposals: readonly Proposal[], told: Partial<PlanInput> = {}): PlanInput {
  return {
    proposals,
    titles: new Map(proposals.map(({ id }) => [id, `work of ${id}`])),
    landings: new Map(proposals.map(({ id }) => [id, `lnd_${id.slice('prp_'.length)}`])),
    returnedPredecessors: new Set(),
    strict: () => false,
    quarantined: new Map(),
    ...told,
  };
}
