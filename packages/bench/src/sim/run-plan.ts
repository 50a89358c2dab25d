// Runs a plan: each run in a process of its own, as many at a time as asked for.
//
//   RP2. Rows come in the order of the plan, whichever run ends first.

import { type ResultRow, type RunFigures, rowOf } from '@firetrident/simulator';
import { runsOf, type SimPlan, type SimRun } from './plan.ts';
import { runAll, runInProcess } from './run-process.ts';

/** How a plan is watched and stopped. */
export type RunPlanOptions = {
  /** Runs at the same time. */
  readonly jobs: number;
  readonly signal?: AbortSignal;
  /** Hears how far all runs are, from 0 to 1, and what began or went on last. */
  readonly progress?: (done: number, run: SimRun) => void;
};

/** Runs a plan to its rows (RP2). Throws RunFailedError for a run that fails, and for one that the signal ended. */
export async function runPlan(plan: SimPlan, options: RunPlanOptions): Promise<readonly ResultRow[]> {
  const runs = runsOf(plan);
  const shares = new Float64Array(runs.length);
  const tell = (index: number, share: number) => {
    shares[index] = share;
    options.progress?.(shares.reduce((sum, each) => sum + each, 0) / runs.length, runs[index] as SimRun);
  };
  const figures = await runAll(runs.length, options, async (index, signal) => {
    const run = runs[index] as SimRun;
    const name = `${run.policy} with ${run.agents} agents and seed ${run.seed}`;
    const heard = (nowMs: number) => tell(index, nowMs / plan.durationMs);
    const done = await runInProcess('policy', { plan, run }, name, signal, heard);
    tell(index, 1);
    return done;
  });
  return rowsOf(plan, runs, figures);
}

function rowsOf(plan: SimPlan, runs: readonly SimRun[], figures: readonly RunFigures[]): readonly ResultRow[] {
  const rows: ResultRow[] = [];
  for (let first = 0; first < runs.length; first += plan.seeds.length) {
    const { policy, agents, redoPercent } = runs[first] as SimRun;
    rows.push(
      rowOf({ policy, agents, redoPercent, seeds: plan.seeds }, figures.slice(first, first + plan.seeds.length)),
    );
  }
  return rows;
}
