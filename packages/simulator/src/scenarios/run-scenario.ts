// Running the system as it is in a scenario, and the figures that every scenario has.

import { runColony } from '../colony/colony-run.ts';
import { fittedCosts } from '../colony/costs.ts';
import type { Behaviour, LandedTask } from '../colony/options.ts';
import { switchesOf } from '../colony/switches.ts';
import { Samples } from '../measure/samples.ts';
import type { Workload } from '../workload/task.ts';
import { atLeast, atMost, below, type Expectation, type ScenarioResult } from './scenario.ts';

/** The longest wait of a task that is allowed, in median lives. */
const longestWaitInMedians = 20;

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

/** What is counted in every scenario. */
export type CommonFigures = {
  readonly landedPerMin: number;
  readonly reworkPercent: number;
  readonly idlePercent: number;
  readonly sigmaMean: number;
  /** From the opening of a task to its landing: half of those that landed, and all of them. */
  readonly lifeP50Ms: number;
  readonly lifeMaxMs: number;
  /** The longest time in the life of a task in which nobody worked on it; work that an agent lost counts as such. */
  readonly waitMaxMs: number;
  /** The greatest age of a task that did not land before the end. */
  readonly openMaxMs: number;
};

/** What became of it. */
export interface Told {
  readonly setting: Setting;
  readonly figures: CommonFigures;
  /** No task that landed waited too long for the median life, nor was one left that is too old. */
  readonly noStarvation: Expectation;
  /** σ of the colony is below 1. */
  readonly noCascade: Expectation;
  readonly littleRework: Expectation;
}

/** Runs the system as it is. */
export function tell(setting: Setting): Told {
  const lifeMs = new Samples();
  let waitMaxMs = 0;
  let openMaxMs = 0;
  const behaviour: Behaviour = {
    ...setting.behaviour,
    landed: (task: LandedTask) => {
      const life = task.landedAtMs - task.openedAtMs;
      lifeMs.add(life);
      waitMaxMs = Math.max(waitMaxMs, life - task.busyMs);
      setting.behaviour?.landed?.(task);
    },
    left: (openedAtMs) => {
      openMaxMs = Math.max(openMaxMs, setting.durationMs - openedAtMs);
    },
  };
  const tally = runColony({
    ...setting,
    redoShare: 0.1,
    switches: switchesOf.firetrident,
    costs: fittedCosts,
    behaviour,
  });
  const [lifeP50Ms = 0, lifeMaxMs = 0] = lifeMs.percentiles([0.5, 1]);
  const minutes = (setting.durationMs - setting.warmupMs) / 60_000;
  const figures = {
    landedPerMin: tally.landings / minutes,
    reworkPercent: tally.workMs === 0 ? 0 : (100 * tally.redoneMs) / tally.workMs,
    idlePercent: (100 * tally.idleMs) / (setting.agents * minutes * 60_000),
    sigmaMean: tally.sigmaMean,
    lifeP50Ms,
    lifeMaxMs,
    waitMaxMs,
    openMaxMs,
  };
  const longest = Math.max(waitMaxMs, openMaxMs) / Math.max(1, lifeP50Ms);
  return {
    setting,
    figures,
    noStarvation: atMost('longest wait of a task, in median lives', longest, longestWaitInMedians),
    noCascade: below('σ of the colony', figures.sigmaMean, 1),
    littleRework: atMost('rework, percent', figures.reworkPercent, 10),
  };
}

/** At least so many percent of the agents' time is work. */
export function atWork({ figures }: Told, percent: number): Expectation {
  return atLeast('agents at work, percent', 100 - figures.idlePercent, percent);
}

/** The result of a scenario, with what only it counts. */
export function resultOf(
  scenario: string,
  { setting, figures }: Told,
  more: Readonly<Record<string, number>>,
  expectations: readonly Expectation[],
): ScenarioResult {
  const { agents, seed, durationMs } = setting;
  return { scenario, agents, seed, durationMs, figures: { ...figures, ...more }, expectations };
}
