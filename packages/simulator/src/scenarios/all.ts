// All scenarios by name.

import { dyingAgents } from './dying-agents.ts';
import { giantTask } from './giant-task.ts';
import { growingFleet } from './growing-fleet.ts';
import { hiddenReads } from './hidden-reads.ts';
import { hotFile } from './hot-file.ts';
import { longRunner } from './long-runner.ts';
import { pausedTrunk } from './paused-trunk.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario that can be run. */
export const scenarios = {
  'giant-task': giantTask,
  'long-runner': longRunner,
  'hot-file': hotFile,
  'paused-trunk': pausedTrunk,
  'dying-agents': dyingAgents,
  'hidden-reads': hiddenReads,
  'growing-fleet': growingFleet,
} as const satisfies Readonly<Record<string, Scenario>>;

/** A scenario by name. */
export type ScenarioName = keyof typeof scenarios;
