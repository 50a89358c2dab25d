// The policies of this system as runs that can be compared with others.

import type { ColonyPolicy, PolicyRun } from '../policy.ts';
import { runColony } from './colony-run.ts';
import { fittedCosts } from './costs.ts';
import { switchesOf } from './switches.ts';

/** The run of a policy of this system, at the fitted costs. */
export function colonyRun(policy: ColonyPolicy): PolicyRun {
  return (options) => runColony({ ...options, switches: switchesOf[policy], costs: fittedCosts });
}
