// All scenarios by name.

import { dyingAgents } from './dying-agents.ts';
import { giantTask } from './giant-task.ts';
import { growingFleet } from './growing-fleet.ts';
import { hotFile } from './hot-file.ts';
import { longRunner } from './long-runner.ts';
import { neverRead } from './never-read.ts';
import { redTrunk } from './red-trunk.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario that can be run. */
export const scenarios = {
  'giant-task': giantTask,
  'long-runner': longRunner,
  'hot-file': hotFile,
  'red-trunk': redTrunk,
  'dying-agents': dyingAgents,
  'never-read': neverRead,
  'growing-fleet': growingFleet,
} as const satisfies Readonly<Record<string, Scenario>>;

/** A scenario by name. */
export type ScenarioName = keyof typeof scenarios;
/** The names of all scenarios. */
export const scenarioNames = Object.keys(scenarios) as readonly ScenarioName[];
