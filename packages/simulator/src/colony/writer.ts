// The trunk writer of a simulated colony: one cycle after the other, planned by the core and landed in versions.
//
//   WR1. One cycle at a time. It plans on the tip of its beginning, and what it lands is seen from its commit on.
//   WR2. Nobody hears of a cycle, and nobody is woken by it, before its commit is durable, a while after it. The next one runs meanwhile,
//        and commits no sooner.

import {
  type BatchId,
  type CycleId,
  defined,
  type IntentId,
  type LandingId,
  landingOf,
  type Oid,
  type ProposalId,
  RandomStream,
} from '@firetrident/base';
import {
  type CycleIntention,
  cycleProposals,
  type EventOf,
  missingPredecessors,
  type Outcome,
  type Plan,
  type Proposal,
  plan,
} from '@firetrident/core';
import type { Colony } from './colony.ts';
import { cycleDurationMs } from './costs.ts';
import { eventKinds } from './event-kinds.ts';
import { FileVersion } from './file-versions.ts';

/** A cycle that is planned and not yet committed. */
interface PlannedCycle {
  readonly cycle: CycleId;
  readonly intention: CycleIntention;
  readonly intents: ReadonlyMap<ProposalId, IntentId>;
}

/** What a cycle came to, and when it may be told. */
export interface CommittedCycle {
  readonly outcomes: readonly Outcome[];
  readonly headsUps: readonly EventOf<'heads-up'>[];
  /** How much later it is durable; 0 for at once. */
  readonly durableInMs: number;
}

const noQuarantine: ReadonlyMap<ProposalId, string> = new Map();

/** Runs the cycles of one colony. */
export class Writer {
  readonly #colony: Colony;
  /** When the next cycle is expected, and which of the planned events is that one. */
  #expectedMs = Number.POSITIVE_INFINITY;
  #expectation = 0;
  #running: PlannedCycle | null = null;
  /** From the commit of the running cycle until it is durable, and when that is so for the last one (WR2). */
  #durableMs = 0;
  #durableAtMs = 0;
  #cycles = 0;
  /** What cycles vary by: another stream than those of tasks and their work, for every seed (WT1). */
  readonly #random: RandomStream;

  constructor(colony: Colony) {
    this.#colony = colony;
    this.#random = new RandomStream(colony.options.seed ^ 0x27d4eb2f);
  }

  /** Lanes hold work: a cycle begins soon, unless one runs or is expected sooner (WR1). */
  expect(): void {
    this.#expectAt(this.#colony.now + this.#colony.options.costs.coalesceMs);
  }

  /** Begins a cycle, if this is the expected one. */
  begin(expectation: number): void {
    if (expectation !== this.#expectation) return;
    this.#expectedMs = Number.POSITIVE_INFINITY;
    const { queue, options, now, state } = this.#colony;
    const { cycle, readyAt } = this.#colony.do({ kind: 'start-cycle' });
    if (cycle === null) {
      if (readyAt !== null) this.#expectAt(Math.max(now, readyAt));
      return;
    }
    const proposals = cycleProposals(state);
    this.#cycles += 1;
    this.#running = this.#plan(cycle, proposals);
    const { intention } = this.#running;
    this.#colony.do({ kind: 'intend-cycle', cycle, intention, quarantined: [] });
    const durationMs = cycleDurationMs(options.costs, proposals.length, this.#random);
    this.#durableMs = durationMs * options.costs.durableShare;
    queue.push(Math.max(now + durationMs, this.#durableAtMs), eventKinds.commit, 0, 0);
  }

  /** Commits the cycle: trunk stands where it put it. Gives the outcomes, and who hears what of them once it is durable (WR2). */
  commit(): CommittedCycle {
    const { cycle, intention, intents } = defined(this.#running, 'the running cycle');
    const { trunk } = this.#colony;
    for (const outcome of intention.outcomes) {
      if (outcome.kind !== 'landed') continue;
      for (const { path, after } of outcome.writes) {
        if (!(after instanceof FileVersion)) continue;
        after.landing = outcome.landing;
        after.intent = defined(intents.get(outcome.proposal), `the intent of ${outcome.proposal}`);
        trunk.at(path).land(after);
      }
    }
    this.#running = null;
    this.#durableAtMs = this.#colony.now + this.#durableMs;
    const { events } = this.#colony.apply({ kind: 'commit-cycle', cycle });
    const headsUps = events.filter((event) => event.kind === 'heads-up');
    return { outcomes: intention.outcomes, headsUps, durableInMs: this.#durableMs };
  }

  #expectAt(atMs: number): void {
    if (this.#running !== null || atMs >= this.#expectedMs) return;
    this.#expectedMs = atMs;
    this.#expectation += 1;
    this.#colony.queue.push(atMs, eventKinds.cycle, 0, this.#expectation);
  }

  #plan(cycle: CycleId, proposals: readonly Proposal[]): PlannedCycle {
    const { state, trunk, options } = this.#colony;
    const intents = new Map<ProposalId, IntentId>();
    const landings = new Map<ProposalId, LandingId>();
    const titles = new Map<ProposalId, string>();
    for (const { id, intent } of proposals) {
      intents.set(id, intent);
      landings.set(id, landingOf(id));
      titles.set(id, '');
    }
    trunk.beginPlan();
    const strict = () => !options.switches.merge;
    const returnedPredecessors = missingPredecessors(state);
    const input = { proposals, titles, landings, returnedPredecessors, strict, quarantined: noQuarantine };
    const planned = plan(input, trunk);
    const batches = new Map<ProposalId, BatchId>();
    for (const batch of state.cycle?.batches ?? []) for (const id of batch.proposals) batches.set(id, batch.id);
    const newTip: Oid = `t${this.#cycles.toString(36)}`;
    const outcomes = outcomesOf(planned, batches, landings, newTip);
    const moves = planned.landings.length > 0;
    const refs = moves ? { oldTip: state.tip, newTip, oldNotes: state.notes, newNotes: newTip } : null;
    return { cycle, intention: { refs, outcomes }, intents };
  }
}

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
