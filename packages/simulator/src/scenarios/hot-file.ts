// One file that every task has to touch: a table of routes, a list of exports.
//
// Locks make a queue of it. Changes of different lines must land side by side.

import { Maker, wideTask } from './made-up-tasks.ts';
import { resultOf, tell } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

/** Every task writes the same file beside its own. */
export const hotFile: Scenario = {
  story: 'One task in four also changes one file that all share: it lands there line by line, and nothing starves.',
  run: ({ seed, agents = 100 }) => {
    const maker = new Maker(seed, 5_000);
    const workload = maker.stream((number) => {
      const task = wideTask(maker, 100);
      return number % 4 === 0 ? { ...task, files: [...task.files, maker.change('src/routes.ts')] } : task;
    });
    const durationMs = 1_200_000;
    const told = tell({ agents, seed, durationMs, warmupMs: 120_000, workload, openTasks: agents * 4 });
    return resultOf('hot-file', told, {}, [told.littleRework, told.noCascade, told.noStarvation]);
  },
};
