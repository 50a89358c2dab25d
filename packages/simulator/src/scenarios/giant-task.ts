// One giant task, filed by everybody: half of all open work is about the same four files.
//
// Without marks every agent starts there and most of them do each other's work again. They must spread.

import type { Worker } from '../colony/worker.ts';
import { Maker, wideTask } from './made-up-tasks.ts';
import { atWork, resultOf, tell } from './run-scenario.ts';
import { atMost, type Scenario } from './scenario.ts';

const giant = 'giant/core';
const folders = 200;

function isAtGiant(worker: Worker): boolean {
  return worker.isBusy && worker.held?.open.task.files[0]?.path.startsWith(giant) === true;
}

/** Half of the work converges on one place. */
export const giantTask: Scenario = {
  story: 'Half of all open work is about the same four files: agents spread instead of converging there.',
  run: ({ seed, agents = 200 }) => {
    const maker = new Maker(seed, 5_000);
    const giantFile = () => `${giant}/file-${maker.random.below(4)}.ts`;
    const workload = maker.stream((number) => {
      if (number % 2 === 0) return wideTask(maker, folders);
      const written = giantFile();
      const reads = [giantFile(), giantFile()].filter((path) => path !== written);
      return {
        workMs: maker.workMs(60_000),
        files: [maker.change(written)],
        reads: reads.map((path) => maker.reading(path)),
      };
    });
    const warmupMs = 120_000;
    let busy = 0;
    let there = 0;
    const watch = (nowMs: number, workers: readonly Worker[]): void => {
      if (nowMs < warmupMs) return;
      busy += workers.filter((worker) => worker.isBusy).length;
      there += workers.filter(isAtGiant).length;
    };
    const durationMs = 900_000;
    const told = tell({ agents, seed, durationMs, warmupMs, workload, openTasks: agents * 10, behaviour: { watch } });
    const share = (100 * there) / Math.max(1, busy);
    return resultOf('giant-task', told, { agentsAtGiantPercent: share }, [
      atMost('agents at the giant task, percent', share, 15),
      told.littleRework,
      atWork(told, 80),
      told.noStarvation,
    ]);
  },
};
