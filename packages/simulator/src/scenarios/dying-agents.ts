// Agents that die without a word while they hold leases.
//
// Locks of the dead block the living. Here leases run out and claims fade: the work of the dead must be done by others.

import { Maker, wideTask } from './made-up-tasks.ts';
import { resultOf, tell } from './run-scenario.ts';
import { atLeast, type Scenario } from './scenario.ts';

/** One agent in five dies; another comes in its place. */
export const dyingAgents: Scenario = {
  story: 'One agent in five dies while it holds a lease: others finish its work, and the pace hardly changes.',
  run: ({ seed, agents = 200 }) => {
    const maker = new Maker(seed, 10_000);
    const workload = maker.stream(() => wideTask(maker, 400));
    const durationMs = 1_800_000;
    const dying = Math.floor(agents / 5);
    const deathMs = Array.from({ length: dying }, () => 60_000 + maker.random.below(600_000));
    let again = 0;
    let early = 0;
    let late = 0;
    const told = tell({
      agents: agents + dying,
      seed,
      durationMs,
      warmupMs: 60_000,
      workload,
      openTasks: agents * 4,
      behaviour: {
        joinsAtMs: (agent) => (agent < agents ? 0 : (deathMs[agent - agents] ?? 0)),
        diesAtMs: (agent) => deathMs[agent] ?? Number.POSITIVE_INFINITY,
        landed: ({ takes, landedAtMs }) => {
          if (takes > 1) again += 1;
          if (landedAtMs < 900_000) early += 1;
          else late += 1;
        },
      },
    });
    return resultOf('dying-agents', told, { died: dying, landedByAnother: again }, [
      atLeast('work of the dead that others landed, percent', (100 * again) / dying, 80),
      atLeast('pace of the second half, percent of the first', (100 * late) / Math.max(1, early), 95),
      told.littleRework,
      told.noStarvation,
    ]);
  },
};
