// The trunk writer of a simulated colony: one cycle after the other, planned by the core and landed in versions.

import {
  type BatchId,
  type CycleId,
  defined,
  type LandingId,
  landingOf,
  type Oid,
  type ProposalId,
} from '@firetrident/base';
import {
  type ColonyState,
  type CycleIntention,
  cycleProposals,
  missingPredecessors,
  type Outcome,
  type Plan,
  type Proposal,
  plan,
} from '@firetrident/core';
import { FileVersion } from './file-versions.ts';
import type { Trunk } from './trunk-facts.ts';

/** A cycle that is planned and not yet committed. */
export interface PlannedCycle {
  readonly cycle: CycleId;
  readonly intention: CycleIntention;
}

/** Plans the running cycle of a colony. `strict` forbids merges. */
export function planCycle(state: ColonyState, trunk: Trunk, cycles: number, strict: boolean): PlannedCycle {
  const cycle = defined(state.cycle, 'the running cycle');
  const proposals = cycleProposals(state);
  const landings = new Map<ProposalId, LandingId>();
  const titles = new Map<ProposalId, string>();
  for (const { id } of proposals) {
    landings.set(id, landingOf(id));
    titles.set(id, '');
  }
  trunk.beginPlan();
  const planned = plan(
    {
      proposals,
      titles,
      landings,
      returnedPredecessors: missingPredecessors(state),
      strict: () => strict,
      quarantined: noQuarantine,
    },
    trunk,
  );
  const batches = new Map<ProposalId, BatchId>();
  for (const batch of cycle.batches) for (const id of batch.proposals) batches.set(id, batch.id);
  const newTip: Oid = `t${cycles.toString(36)}`;
  const outcomes = outcomesOf(planned, batches, landings, newTip);
  const moves = planned.landings.length > 0;
  const refs = moves ? { oldTip: state.tip, newTip, oldNotes: state.notes, newNotes: newTip } : null;
  return { cycle: cycle.id, intention: { refs, outcomes } };
}

const noQuarantine: ReadonlyMap<ProposalId, string> = new Map();

function outcomesOf(
  planned: Plan,
  batches: ReadonlyMap<ProposalId, BatchId>,
  landings: ReadonlyMap<ProposalId, LandingId>,
  commit: Oid,
): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const { proposal, writes, merged, unchanged } of planned.landings) {
    const landing = defined(landings.get(proposal), `the landing of ${proposal}`);
    const batch = defined(batches.get(proposal), `the batch of ${proposal}`);
    outcomes.push({ kind: 'landed', proposal, landing, batch, commit, writes, merged, unchanged });
  }
  for (const other of planned.others) {
    outcomes.push(other.kind === 'returned' ? { ...other, brief: { ...other.brief, trunk: commit } } : other);
  }
  return outcomes;
}

/** Puts what a cycle landed on the tip, in the order of its landings. */
export function landCycle(trunk: Trunk, planned: PlannedCycle, proposals: ReadonlyMap<ProposalId, Proposal>): void {
  for (const outcome of planned.intention.outcomes) {
    if (outcome.kind !== 'landed') continue;
    const { intent } = defined(proposals.get(outcome.proposal), `proposal ${outcome.proposal}`);
    for (const { path, after } of outcome.writes) {
      if (!(after instanceof FileVersion)) continue;
      after.landing = outcome.landing;
      after.intent = intent;
      trunk.at(path).land(after);
    }
  }
}
