// Running the system as it is in a scenario, and the figures that every scenario has.

import { runColony } from '../colony/colony-run.ts';
import { fittedCosts } from '../colony/costs.ts';
import type { Behaviour, LandedTask } from '../colony/options.ts';
import { switchesOf } from '../colony/switches.ts';
import { Samples } from '../measure/samples.ts';
import type { Tally } from '../measure/tally.ts';
import type { Workload } from '../workload/task.ts';
import { atMost, type Expectation } from './scenario.ts';

/** The greatest wait that is allowed, in medians. */
export const longestWaitInMedians = 20;

/** What a scenario sets up. */
export interface Setting {
  readonly agents: number;
  readonly seed: number;
  readonly durationMs: number;
  readonly warmupMs: number;
  readonly workload: Workload;
  readonly openTasks: number;
  readonly behaviour?: Behaviour;
}

/** What became of it. */
export interface Told {
  readonly tally: Tally;
  /** From the opening of a task to its landing, for all tasks that landed. */
  readonly lifeMs: Samples;
  readonly figures: Readonly<Record<string, number>>;
  /** No task waited or lived too long for the median. */
  readonly noStarvation: Expectation;
}

/** Runs the system as it is. */
export function tell(setting: Setting): Told {
  const lifeMs = new Samples();
  const landed = (task: LandedTask): void => {
    lifeMs.add(task.landedAtMs - task.openedAtMs);
    setting.behaviour?.landed?.(task);
  };
  const behaviour = { ...setting.behaviour, landed };
  const tally = runColony({
    ...setting,
    redoShare: 0.1,
    switches: switchesOf.firetrident,
    costs: fittedCosts,
    behaviour,
  });
  const [median = 0, longest = 0] = lifeMs.percentiles([0.5, 1]);
  const longestInMedians = median === 0 ? 0 : longest / median;
  const minutes = (setting.durationMs - setting.warmupMs) / 60_000;
  const figures = {
    landedPerMin: tally.landings / minutes,
    reworkPercent: tally.workMs === 0 ? 0 : (100 * tally.redoneMs) / tally.workMs,
    idlePercent: (100 * tally.idleMs) / (setting.agents * minutes * 60_000),
    sigmaMean: tally.sigmaMean,
    lifeP50Ms: median,
    lifeMaxMs: longest,
  };
  const noStarvation = atMost('longest life of a task, in medians', longestInMedians, longestWaitInMedians);
  return { tally, lifeMs, figures, noStarvation };
}
