// One long task among many short ones that keep changing what it reads.
//
// Whoever validates late and restarts never lands it. Nearly everything that it rests on moves while it works, and while it answers a return.
// It must land with its third return at the latest: then what it needs is reserved (R4). At its worst each return costs it all of its work.

import type { LandedTask } from '../colony/options.ts';
import { Maker, wideTask } from './made-up-tasks.ts';
import { resultOf, tell } from './run-scenario.ts';
import { atMost, type Scenario } from './scenario.ts';

const longWorkMs = 200_000;
const readFiles = 8;

function busyPath(file: number): string {
  return `busy/core/file-${file}.ts`;
}

/** A long task against short ones. */
export const longRunner: Scenario = {
  story: 'A task of 200 seconds reads what hundreds of tasks of 10 seconds keep changing: it lands all the same.',
  run: ({ seed, agents = 100 }) => {
    const maker = new Maker(seed, 5_000);
    const workload = maker.stream((number) => {
      if (number === 0) {
        const reads = Array.from({ length: readFiles }, (_, file) => maker.reading(busyPath(file)));
        return { workMs: longWorkMs, files: [maker.change('busy/core/long.ts')], reads };
      }
      const short = wideTask(maker, 40, 10_000);
      if (number % 4 !== 0) return short;
      return { ...short, files: [maker.change(busyPath(maker.random.below(readFiles)))] };
    });
    let long: LandedTask | null = null;
    const landed = (task: LandedTask): void => {
      if (task.task.id === 0) long = task;
    };
    const durationMs = 1_200_000;
    const told = tell({
      agents,
      seed,
      durationMs,
      warmupMs: 60_000,
      workload,
      openTasks: agents * 4,
      behaviour: { landed },
    });
    const { returns, landedAtMs } = (long as LandedTask | null) ?? { returns: 1_000, landedAtMs: durationMs };
    return resultOf('long-runner', told, { longReturns: returns, longLandedAtMs: landedAtMs }, [
      atMost('returns of the long task', returns, 3),
      atMost('landing of the long task, in times of its work', landedAtMs / longWorkMs, 4),
      told.noCascade,
      told.noStarvation,
    ]);
  },
};
