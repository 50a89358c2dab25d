// Small runs of this system: same options, same figures, and what each part of it does to them.

import { RandomStream } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../measure/result.ts';
import type { Tally } from '../measure/tally.ts';
import type { Task, Workload } from '../workload/task.ts';
import { runColony } from './colony-run.ts';
import { fittedCosts } from './costs.ts';
import type { Behaviour } from './options.ts';
import { type Switches, switchesOf } from './switches.ts';

/** Tasks on a few files: each writes one line of one file and reads one name of another. */
function fewFiles(seed: number, files: number): Workload {
  const random = new RandomStream(seed);
  let id = 0;
  const path = (pathId: number) => ({ path: `src/folder${pathId % 7}/file${pathId}.ts`, pathId });
  return {
    pathCount: files,
    next: (): Task => {
      const line = random.below(40) * 3 + 1;
      const name = () => `name${random.below(4)}`;
      const written = path(random.below(files));
      const task = {
        id,
        title: `task ${id}`,
        workMs: 20_000 + random.below(80_000),
        files: [{ ...written, status: 'M' as const, hunks: [[line, 1, line, 2]] as const, symbols: [name()] }],
        reads: [{ ...path(random.below(files)), symbols: [name()] }],
      };
      id += 1;
      return task;
    },
  };
}

const agents = 24;

function run(without: Partial<Switches> = {}, behaviour: Behaviour = {}, costs = fittedCosts): Tally {
  return runColony({
    agents,
    seed: 1,
    durationMs: 600_000,
    warmupMs: 60_000,
    workload: fewFiles(5, 16),
    openTasks: 100,
    redoShare: 0.1,
    switches: { ...switchesOf.firetrident, ...without },
    costs,
    behaviour,
  });
}

const cost = { eventsPerSecond: 0, processorSeconds: 0, rssMiB: 0 };
const reworkOf = (tally: Tally) => figuresOf(tally, cost).reworkPercent;

describe('a run of this system', () => {
  it('[CR1] gives the same figures and the same events, byte for byte, for the same options', () => {
    const journals: [string[], string[]] = [[], []];
    const kept = (journal: string[]): Behaviour => ({ happened: (events) => journal.push(JSON.stringify(events)) });
    const first = run({ headsUp: false }, kept(journals[0]));
    const second = run({ headsUp: false }, kept(journals[1]));
    expect(journals[1].join('\n') === journals[0].join('\n')).toBe(true);
    expect(journals[0].length).toBeGreaterThan(1_000);
    expect(figuresOf(second, cost)).toEqual(figuresOf(first, cost));
    expect([second.events, second.messages, second.returns]).toEqual([first.events, first.messages, first.returns]);
    expect(first.landings).toBeGreaterThan(100);
    expect(first.returns).toBeGreaterThan(0);
  });

  it('[CR1] books all the time of all agents as work or as idle', () => {
    const tally = run();
    expect(tally.workMs + tally.idleMs).toBeCloseTo(agents * 540_000, 0);
    expect(tally.redoneMs).toBeLessThan(tally.workMs);
  });

  it('[WR2] tells nobody of a cycle before its commit is durable', () => {
    const slow = { ...fittedCosts, cycleMs: 1_000, durableShare: 0.9 };
    const { timeToLandMs, landings } = run({}, {}, slow);
    const [earliestMs = 0] = timeToLandMs.percentiles([0.01]);
    expect(landings).toBeGreaterThan(100);
    expect(earliestMs).toBeGreaterThan(900);
  });

  it('redoes less when agents hear at once what moved', () => {
    expect(reworkOf(run())).toBeLessThan(reworkOf(run({ headsUp: false })));
  });

  it('redoes more without merges, and with reads of whole files', () => {
    const crowded = reworkOf(run({ repulsion: false }));
    expect(reworkOf(run({ repulsion: false, merge: false }))).toBeGreaterThan(crowded);
    expect(reworkOf(run({ repulsion: false, symbolReads: false }))).toBeGreaterThan(crowded);
  });
});
