// A red trunk: landing stands still for two minutes, as it does when somebody pauses it because trunk is broken.
//
// Checks are not simulated, so a red trunk stands here as a pause of all landing. What queued meanwhile must land soon after, as one
// cycle, and nobody may go on working on what cannot land for ever.

import type { Worker } from '../colony/worker.ts';
import { Maker, wideTask } from './made-up-tasks.ts';
import { resultOf, tell } from './run-scenario.ts';
import { atLeast, atMost, type Scenario } from './scenario.ts';

const fromMs = 300_000;
const toMs = 420_000;

/** Landing pauses and goes on. */
export const redTrunk: Scenario = {
  story: 'Landing pauses for two minutes: what queued lands at once afterwards, and the pace is back.',
  run: ({ seed, agents = 200 }) => {
    const maker = new Maker(seed, 10_000);
    const workload = maker.stream(() => wideTask(maker, 400));
    let waitingAtEnd = 0;
    let waitingAfter = 0;
    const landings = { before: 0, after: 0 };
    const waiting = (workers: readonly Worker[]) => workers.filter((worker) => worker.state === 'waiting').length;
    const durationMs = 720_000;
    const told = tell({
      agents,
      seed,
      durationMs,
      warmupMs: 60_000,
      workload,
      openTasks: agents * 10,
      behaviour: {
        pausedMs: [fromMs, toMs],
        watch: (nowMs, workers) => {
          if (nowMs === toMs - 1_000) waitingAtEnd = waiting(workers);
          if (nowMs === toMs + 2_000) waitingAfter = waiting(workers);
        },
        landed: ({ landedAtMs }) => {
          if (landedAtMs >= fromMs - 120_000 && landedAtMs < fromMs) landings.before += 1;
          if (landedAtMs >= durationMs - 120_000) landings.after += 1;
        },
      },
    });
    return resultOf('red-trunk', told, { waitingAtEnd, waitingAfter }, [
      atMost('agents that still wait two seconds after, percent', (100 * waitingAfter) / agents, 5),
      atLeast('pace afterwards, percent of before', (100 * landings.after) / Math.max(1, landings.before), 90),
      told.noStarvation,
    ]);
  },
};
