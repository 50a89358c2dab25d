// What a comparison says: its rows, and what was assumed to get them.
//
//   RE1. Every figure is marked as simulated, save those that the machine measured, which are marked as measured.

import { type Expectation, policyAssumptions, type ResultRow, usualWorkTime } from '@firetrident/simulator';
import { copyCount, type SimPlan } from './plan.ts';

/** The output of a comparison. */
export type SimReport = {
  readonly rows: readonly ResultRow[];
  readonly assumptions: SimAssumptions;
  /** What must hold, where something was to be shown. */
  readonly checks?: readonly Expectation[];
};

/** What holds for all rows. */
export type SimAssumptions = {
  /** How the figures of the rows came about (RE1). */
  readonly figures: 'SIMULATED';
  /** The figures that the machine measured while it simulated (RE1). */
  readonly measured: readonly string[];
  readonly mode: SimPlan['mode'];
  readonly history: string | null;
  readonly copies: number | null;
  readonly work: string;
  readonly durationMs: number;
  readonly warmupMs: number;
  readonly openTasks: string;
  readonly reworkPercent: string;
  readonly timeToLandMs: string;
  readonly waitP99Ms: string;
  readonly policies: Readonly<Record<string, string>>;
};

/** The assumptions of a plan. */
export function assumptionsOf(plan: SimPlan): SimAssumptions {
  const { mode, history, durationMs, warmupMs, openPerAgent, openAtMost, testMs, policies } = plan;
  const bounded = Number.isFinite(openAtMost) ? `, ${openAtMost} at most` : '';
  const { medianMs, spread } = usualWorkTime;
  const drawn = `log-normal, median ${medianMs / 1_000} s, standard deviation of the logarithm ${spread}`;
  return {
    figures: 'SIMULATED',
    measured: ['eventsPerSecond', 'processorSeconds', 'rssMiB'],
    mode,
    history: history?.name ?? null,
    copies: mode === 'history' ? copyCount : null,
    work: mode === 'history' ? drawn : `${testMs / 1_000} s each`,
    durationMs,
    warmupMs,
    openTasks: `${openPerAgent} for each agent${bounded}; whenever one is taken, the next is opened`,
    reworkPercent: 'working time that was redone or thrown away, of all working time, repairs included',
    timeToLandMs: 'from the first proposal of a task to its landing',
    waitP99Ms: 'from the opening of a task to its first take; tasks still open at the end count with their age',
    policies: Object.fromEntries(policies.map((policy) => [policy, policyAssumptions[policy]])),
  };
}
