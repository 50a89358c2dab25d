// Reading the outcomes of a cycle's intention.

import { assert, type ProposalId } from '@firetrident/base';
import type { Quarantine } from './command.ts';
import type { CycleIntention, Outcome } from './model.ts';

/** Code of the reason with which verification rejects a proposal. */
export const quarantinedCode = 'quarantined';

/** The outcomes that count: what verification stopped is rejected, whatever the plan said of it (L2b). */
export function finalOutcomes(intention: CycleIntention, quarantined: readonly Quarantine[]): readonly Outcome[] {
  const problems = new Map(quarantined.map((entry) => [entry.proposal, entry.problem]));
  return intention.outcomes.map((outcome) => {
    const problem = problems.get(outcome.proposal);
    if (problem === undefined) return outcome;
    assert(outcome.kind !== 'landed', `the quarantined proposal ${outcome.proposal} does not land`);
    const reason = { code: quarantinedCode, message: problem, path: null };
    return { kind: 'rejected', proposal: outcome.proposal, reasons: [reason] };
  });
}

/** Crashes unless every proposal of the cycle has exactly one outcome and nothing lands without moving trunk (L7). */
export function assertComplete(intention: CycleIntention, proposals: readonly ProposalId[]): void {
  const open = new Set(proposals);
  for (const outcome of intention.outcomes) {
    assert(open.delete(outcome.proposal), `${outcome.proposal} is in the cycle and has one outcome`);
    assert(outcome.kind !== 'landed' || intention.refs !== null, `${outcome.proposal} lands by moving trunk`);
  }
  assert(open.size === 0, `every proposal of the cycle has an outcome`);
}
