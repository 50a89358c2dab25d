// Runs scenarios: each with each seed in a process of its own.
//
//   SR1. Results come in the order that was asked for, whichever run ends first.

import { type ScenarioName, type ScenarioResult, scenarios } from '@firetrident/simulator';
import { runAll, runInProcess } from './run-process.ts';

/** Which scenarios are run, and how. */
export type ScenarioPlan = {
  readonly names: readonly ScenarioName[];
  readonly seeds: readonly number[];
  /** As many agents as each story wants when null. */
  readonly agents: number | null;
};

/** A scenario with its story. */
export type ScenarioReport = ScenarioResult & { readonly story: string; readonly figuresAre: 'SIMULATED' };

/** Runs every scenario with every seed (SR1). Throws RunFailedError as `runPlan` does. */
export function runScenarios(
  { names, seeds, agents }: ScenarioPlan,
  options: { readonly jobs: number; readonly signal?: AbortSignal; readonly progress?: (name: ScenarioName) => void },
): Promise<readonly ScenarioReport[]> {
  const runs = names.flatMap((name) => seeds.map((seed) => ({ name, seed })));
  return runAll(runs.length, options, async (index, signal) => {
    const { name, seed } = runs[index] as (typeof runs)[number];
    options.progress?.(name);
    const scenarioOptions = agents === null ? { seed } : { seed, agents };
    const called = `the scenario ${name} with seed ${seed}`;
    const result = await runInProcess('scenario', { name, options: scenarioOptions }, called, signal, () => undefined);
    return { ...result, story: scenarios[name].story, figuresAre: 'SIMULATED' };
  });
}
