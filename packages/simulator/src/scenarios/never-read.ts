// Agents that never say what they read.
//
// They come back less and land on ground that has moved: the price shows as landings that nobody would have let through. What they write
// is validated all the same, and those who do declare must not suffer from them.

import { Maker, wideTask } from './made-up-tasks.ts';
import { resultOf, tell } from './run-scenario.ts';
import { atMost, type Scenario } from './scenario.ts';

/** Every other agent declares nothing. */
export const neverRead: Scenario = {
  story: 'Every other agent hides what it reads: it lands on moved ground, which those who declare never do.',
  run: ({ seed, agents = 200 }) => {
    const maker = new Maker(seed, 5_000);
    const workload = maker.stream(() => wideTask(maker, 60));
    const hides = (agent: number) => agent % 2 === 1;
    const silent = { landed: 0, moved: 0, returns: 0 };
    const open = { landed: 0, moved: 0, returns: 0 };
    const durationMs = 900_000;
    const told = tell({
      agents,
      seed,
      durationMs,
      warmupMs: 60_000,
      workload,
      openTasks: agents * 4,
      behaviour: {
        hidesReads: hides,
        landed: ({ agent, movedUnseen, returns }) => {
          const group = hides(agent) ? silent : open;
          group.landed += 1;
          group.returns += returns;
          if (movedUnseen > 0) group.moved += 1;
        },
      },
    });
    return resultOf(
      'never-read',
      told,
      {
        silentOnMovedGroundPercent: (100 * silent.moved) / Math.max(1, silent.landed),
        returnsPerLandingSilent: silent.returns / Math.max(1, silent.landed),
        returnsPerLandingDeclared: open.returns / Math.max(1, open.landed),
      },
      [atMost('declared landings on moved ground', open.moved, 0), told.littleRework, told.noStarvation],
    );
  },
};
