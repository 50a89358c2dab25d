// Planning one cycle: which of its proposals land, in which order, and what becomes of the others.
//
// Pure and synchronous. Sees trees, merges and history through facts; never bytes, commits or clocks.
//
// Invariants:
//   PL1. A landing's reads were fresh, and its writes fitted, on the tree of the landing before it (V1, V2).
//   PL2. Every proposal has exactly one outcome, and every declared write is landed, unchanged, or in an outcome that
//        keeps the whole proposal (L7).
//   PL3. The plan is a function of the set of proposals and the facts; the order of arrival changes nothing (O2).
//   PL4. A cycle that is not empty settles something: the plan never defers every proposal.
//   PL5. Whether a proposal goes back is decided on the tree of the new tip, which is what its brief shows (R1).

import { assert, defined, never, type ProposalId, type TreePath } from '@firetrident/base';
import { composeBrief, composeChainBrief } from './brief.ts';
import type { Proposal, ResolvedRead } from './model.ts';
import { orderProposals } from './order.ts';
import { compareAge } from './order-age.ts';
import type { CycleLanding, Observation, Plan, PlanFacts, PlanInput, PlannedLanding, PlanTree } from './plan-port.ts';
import { LandingTouches, type OwnChain } from './plan-touches.ts';
import { movedReads, type ValidationFacts, validate } from './validate.ts';

/** Why a proposal comes again in the next cycle instead of being settled in this one. */
export const deferReasons = {
  cycle: 'it and other proposals of the cycle each read what the next one writes',
  chain: 'the part of the chain that it builds on was deferred',
  fresh: 'it did not fit at its turn, but fits the trunk that the cycle made',
} as const;

type OtherOutcome = Plan['others'][number];

/** `held`: did not fit at its turn, or could not even be ordered; judged again on the final tree. */
type Standing = 'landed' | 'held' | OtherOutcome['kind'];

/** Whether the part that a proposal builds on lets it go on. */
type ChainState = 'free' | 'held' | 'deferred' | 'broken';

const noChain: OwnChain = new Set();

/** Decides one cycle (V1, V2, O1 to O3, R1, L7). Deterministic; crashes only when an invariant is broken. */
export function plan(input: PlanInput, facts: PlanFacts): Plan {
  return new CyclePlan(input, facts).run();
}

class CyclePlan {
  readonly #input: PlanInput;
  readonly #facts: PlanFacts;
  readonly #validation: ValidationFacts;
  readonly #proposals: readonly Proposal[];
  readonly #byId: ReadonlyMap<ProposalId, Proposal>;
  readonly #standing = new Map<ProposalId, Standing>();
  readonly #landings: PlannedLanding[] = [];
  readonly #others: OtherOutcome[] = [];
  readonly #touches: LandingTouches;
  readonly #atTip = new Map<ResolvedRead, Observation>();
  #tree: PlanTree;

  constructor(input: PlanInput, facts: PlanFacts) {
    this.#input = input;
    this.#facts = facts;
    // Everything below goes by age, never by arrival (PL3).
    this.#proposals = [...input.proposals].sort(compareAge);
    this.#byId = new Map(this.#proposals.map((proposal) => [proposal.id, proposal]));
    assert(this.#byId.size === this.#proposals.length, 'a cycle holds each proposal once');
    this.#touches = new LandingTouches((glob, path) => facts.matchesGlob(glob, path));
    this.#tree = facts.tip;
    this.#validation = {
      strict: input.strict,
      merge: (path, base, ours, theirs) => facts.merge(path, base, ours, theirs),
      observe: (tree, read) => this.#observe(tree, read),
    };
  }

  run(): Plan {
    const candidates = this.#proposals.filter((proposal) => this.#mayLand(proposal));
    const { order, deferred } = orderProposals(candidates, this.#facts);
    const leftOut = new Set(deferred.map((proposal) => proposal.id));
    for (const { id, predecessor } of deferred) {
      const isFollower = predecessor !== null && leftOut.has(predecessor);
      const reason = isFollower ? deferReasons.chain : deferReasons.cycle;
      this.#settle({ kind: 'deferred', proposal: id, reason });
    }
    for (const proposal of order) this.#takeTurn(proposal);
    for (const proposal of this.#proposals) {
      if (this.#standing.get(proposal.id) === 'held') this.#settle(this.#judgeAgain(proposal));
    }
    this.#accountForAll();
    this.#others.sort((left, right) => compareAge({ id: left.proposal }, { id: right.proposal }));
    return { landings: this.#landings, others: this.#others };
  }

  /**
   * Whether a proposal takes part in the order. One that verification stopped is rejected; one that cannot land on
   * this tip is held back, so that nothing waits for it or is deferred because of it.
   */
  #mayLand(proposal: Proposal): boolean {
    const problem = this.#input.quarantined.get(proposal.id);
    if (problem !== undefined) {
      const reasons = [{ code: 'quarantined', message: problem, path: null }];
      this.#settle({ kind: 'rejected', proposal: proposal.id, reasons });
      return false;
    }
    // The parts of a chain read what the earlier ones have yet to write, so only its first can be judged here.
    const builds = proposal.predecessor !== null && this.#byId.has(proposal.predecessor);
    const isHeld =
      this.#chainState(proposal) !== 'free' ||
      (!builds && movedReads(proposal, this.#facts.tip, this.#validation).length > 0);
    if (isHeld) this.#standing.set(proposal.id, 'held');
    return !isHeld;
  }

  #takeTurn(proposal: Proposal): void {
    if (this.#chainState(proposal) !== 'free') {
      this.#standing.set(proposal.id, 'held');
      return;
    }
    const verdict = validate(proposal, this.#tree, this.#validation);
    switch (verdict.kind) {
      case 'fits': {
        const { writes, merged, unchanged, tree } = verdict;
        this.#landings.push({ proposal: proposal.id, tree, writes, merged, unchanged });
        this.#standing.set(proposal.id, 'landed');
        const paths = writes.map((write) => write.path);
        this.#touches.add(this.#landingOf(proposal, paths), writes, this.#tree, tree);
        this.#tree = tree;
        return;
      }
      case 'unchanged':
        this.#settle({ kind: 'unchanged', proposal: proposal.id, unchanged: verdict.unchanged });
        return;
      case 'unfit':
        this.#standing.set(proposal.id, 'held');
        return;
      default:
        never(verdict);
    }
  }

  /** What did not fit at its turn is judged once more, on the tree that the agent will look at (PL5). */
  #judgeAgain(proposal: Proposal): OtherOutcome {
    const { id } = proposal;
    const state = this.#chainState(proposal);
    if (state === 'deferred') return { kind: 'deferred', proposal: id, reason: deferReasons.chain };
    const own = this.#ownChain(proposal);
    const source = { facts: this.#facts, tree: this.#tree, touches: this.#touches, titles: this.#input.titles };
    if (state === 'broken') {
      const reads = movedReads(proposal, this.#tree, this.#validation);
      return { kind: 'returned', proposal: id, brief: composeChainBrief(proposal, reads, own, source) };
    }
    assert(state === 'free', 'the parts of a chain are judged in their order');
    const verdict = validate(proposal, this.#tree, this.#validation);
    switch (verdict.kind) {
      case 'fits':
        return { kind: 'deferred', proposal: id, reason: deferReasons.fresh };
      case 'unchanged':
        return { kind: 'unchanged', proposal: id, unchanged: verdict.unchanged };
      case 'unfit':
        return { kind: 'returned', proposal: id, brief: composeBrief(verdict.reads, verdict.writes, own, source) };
      default:
        return never(verdict);
    }
  }

  #chainState({ predecessor }: Proposal): ChainState {
    if (predecessor === null) return 'free';
    const standing = this.#standing.get(predecessor);
    switch (standing) {
      case undefined:
        // Of this cycle and not judged yet, or of an earlier one.
        return !this.#byId.has(predecessor) && this.#input.returnedPredecessors.has(predecessor) ? 'broken' : 'free';
      case 'landed':
      case 'unchanged':
        return 'free';
      case 'held':
      case 'deferred':
        return standing;
      case 'returned':
      case 'rejected':
        return 'broken';
      default:
        return never(standing);
    }
  }

  /** The parts of this cycle that a proposal builds on, directly or not. */
  #ownChain(proposal: Proposal): OwnChain {
    if (proposal.predecessor === null) return noChain;
    const own = new Set<ProposalId>();
    let part: ProposalId | null = proposal.predecessor;
    while (part !== null) {
      own.add(part);
      part = this.#byId.get(part)?.predecessor ?? null;
    }
    return own;
  }

  #landingOf(proposal: Proposal, paths: readonly TreePath[]): CycleLanding {
    return {
      proposal,
      landing: defined(this.#input.landings.get(proposal.id), `the landing id of ${proposal.id}`),
      title: defined(this.#input.titles.get(proposal.id), `the title of ${proposal.id}`),
      paths,
    };
  }

  /** Asks the facts only for what a landing of this cycle may have moved since the tip. */
  #observe(tree: PlanTree, read: ResolvedRead): Observation {
    // A symbol may come from another file than the one named, so nothing short of asking tells.
    const isUntouched = tree === this.#facts.tip || (read.kind !== 'symbol' && !this.#touches.ofRead(read, noChain));
    if (!isUntouched) return this.#facts.observe(tree, read);
    let observation = this.#atTip.get(read);
    if (observation === undefined) {
      observation = this.#facts.observe(this.#facts.tip, read);
      this.#atTip.set(read, observation);
    }
    return observation;
  }

  #settle(outcome: OtherOutcome): void {
    this.#standing.set(outcome.proposal, outcome.kind);
    this.#others.push(outcome);
  }

  /** Checks what the plan promises of all its proposals together (PL2, PL4). */
  #accountForAll(): void {
    const seen = new Set<ProposalId>();
    for (const landing of this.#landings) {
      seen.add(landing.proposal);
      const declared = defined(this.#byId.get(landing.proposal), 'a landed proposal').writes;
      this.#accountFor(landing.proposal, [...landing.writes.map(({ path }) => path), ...landing.unchanged], declared);
    }
    for (const outcome of this.#others) {
      seen.add(outcome.proposal);
      if (outcome.kind !== 'unchanged') continue;
      const declared = defined(this.#byId.get(outcome.proposal), 'an unchanged proposal').writes;
      this.#accountFor(outcome.proposal, outcome.unchanged, declared);
    }
    const outcomes = this.#landings.length + this.#others.length;
    assert(seen.size === this.#proposals.length && outcomes === seen.size, 'every proposal has one outcome');
    const deferred = this.#others.filter((outcome) => outcome.kind === 'deferred').length;
    assert(deferred === 0 || deferred < this.#proposals.length, 'a cycle settles something');
  }

  #accountFor(id: ProposalId, named: readonly TreePath[], declared: Proposal['writes']): void {
    const paths = new Set(named);
    const isComplete = paths.size === named.length && named.length === declared.length;
    assert(
      isComplete && declared.every((write) => paths.has(write.path)),
      `every write of ${id} is accounted for once`,
    );
  }
}
