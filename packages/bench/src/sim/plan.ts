// What a comparison runs: every policy at every number of agents, for every seed and every share that is redone.
//
//   PL1. Each run is a plain value that can be sent to a process; a run is a function of that value alone.
//   PL2. All runs of one seed draw the same tasks and the same times of work.

import {
  copiesOf,
  liveTasks,
  type PolicyName,
  type PolicyOptions,
  parseHistory,
  usualWorkTime,
} from '@firetrident/simulator';

/** Where tasks come from: the live driver's, or a repository's history. */
export type SimMode = 'live' | 'history';

/** A comparison. */
export type SimPlan = {
  readonly mode: SimMode;
  readonly policies: readonly PolicyName[];
  readonly agents: readonly number[];
  readonly seeds: readonly number[];
  /** Least shares of the work that a repair redoes, in percent: one row each. */
  readonly redoPercents: readonly number[];
  readonly durationMs: number;
  readonly warmupMs: number;
  /** Open tasks on offer for each agent, and for all of them at most. */
  readonly openPerAgent: number;
  readonly openAtMost: number;
  /** Live mode: how long each agent tests its change. */
  readonly testMs: number;
  /** History mode: the text of the facts and what to call it. */
  readonly history: { readonly name: string; readonly text: string } | null;
};

/** Copies of the repository that lie side by side in history mode. */
export const copyCount = 100;

/** One run (PL1). */
export type SimRun = {
  readonly policy: PolicyName;
  readonly agents: number;
  readonly seed: number;
  readonly redoPercent: number;
};

/** The runs of a plan, those of one row one after the other, large ones last. */
export function runsOf(plan: SimPlan): readonly SimRun[] {
  const { policies, agents, seeds, redoPercents } = plan;
  return agents.flatMap((count) =>
    redoPercents.flatMap((redoPercent) =>
      policies.flatMap((policy) => seeds.map((seed) => ({ policy, agents: count, seed, redoPercent }))),
    ),
  );
}

/** The options of one run (PL2). The history of the plan was read before. */
export function optionsOf(plan: SimPlan, run: SimRun): PolicyOptions {
  const { agents, seed, redoPercent } = run;
  const { durationMs, warmupMs, openPerAgent, openAtMost } = plan;
  const openTasks = Math.min(openPerAgent * agents, openAtMost);
  return {
    agents,
    seed,
    durationMs,
    warmupMs,
    openTasks,
    redoShare: redoPercent / 100,
    workload: workloadOf(plan, seed),
  };
}

function workloadOf(plan: SimPlan, seed: number): PolicyOptions['workload'] {
  if (plan.history === null) return liveTasks(seed, plan.testMs);
  const parsed = parseHistory(plan.history.text);
  if (!parsed.ok) throw new Error(`line ${parsed.error.line}: ${parsed.error.message}`);
  return copiesOf({ history: parsed.value, seed, copies: copyCount, work: usualWorkTime });
}
