// A fleet that grows from 10 agents to 10,000 in a minute.
//
// Admission that learns from what was must not take all of them at once, nor keep them waiting for long.

import { Maker, wideTask } from './made-up-tasks.ts';
import { atWork, resultOf, tell } from './run-scenario.ts';
import { atLeast, type Scenario } from './scenario.ts';

const growsFromMs = 60_000;
const growsForMs = 60_000;
const firstAgents = 10;
const windowMs = 30_000;

/** A thousand times as many agents in a minute. */
export const growingFleet: Scenario = {
  story: 'A fleet grows from 10 agents to 10,000 in a minute: landings never fall, and work redone stays bounded.',
  run: ({ seed, agents = 10_000 }) => {
    const maker = new Maker(seed, 250_000);
    const workload = maker.stream(() => wideTask(maker, 10_000));
    const durationMs = 480_000;
    const perWindow: number[] = new Array(durationMs / windowMs).fill(0);
    const told = tell({
      agents,
      seed,
      durationMs,
      warmupMs: 240_000,
      workload,
      openTasks: agents * 2,
      behaviour: {
        joinsAtMs: (agent) =>
          agent < firstAgents ? 0 : growsFromMs + (growsForMs * (agent - firstAgents)) / (agents - firstAgents),
        landed: ({ landedAtMs }) => {
          const window = Math.floor(landedAtMs / windowMs);
          perWindow[window] = (perWindow[window] ?? 0) + 1;
        },
      },
    });
    // From the first window in which all agents are there and their first work is done.
    const settled = perWindow.slice((growsFromMs + growsForMs * 2) / windowMs);
    const steadiest = Math.min(...settled) / Math.max(1, ...settled);
    return resultOf('growing-fleet', told, { landedInLastWindow: perWindow[perWindow.length - 1] ?? 0 }, [
      atLeast('slowest window, percent of the fastest', 100 * steadiest, 60),
      atWork(told, 60),
      told.littleRework,
      told.noCascade,
    ]);
  },
};
