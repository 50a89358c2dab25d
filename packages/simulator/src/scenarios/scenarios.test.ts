// Every scenario at a small size: what it must show holds, and can fail.

import { describe, expect, it } from 'vitest';
import { type ScenarioName, scenarioNames, scenarios } from './all.ts';
import { Maker, wideTask } from './made-up-tasks.ts';
import { tell } from './run-scenario.ts';
import { atLeast, atMost, below } from './scenario.ts';

/** The smallest fleets in which the stories still happen. */
const agentsOf: Readonly<Record<ScenarioName, number>> = {
  'giant-task': 25,
  'long-runner': 40,
  'hot-file': 20,
  'red-trunk': 20,
  'dying-agents': 25,
  'never-read': 20,
  'growing-fleet': 150,
};

describe('scenarios', () => {
  it.each(scenarioNames)('%s: what it must show holds', (name) => {
    const options = { seed: 1, agents: agentsOf[name] };
    const result = scenarios[name].run(options);
    expect(result.expectations.length).toBeGreaterThan(1);
    expect(result.expectations.filter(({ holds }) => !holds)).toEqual([]);
    expect(result.figures.landedPerMin).toBeGreaterThan(5);
    // After three returns what it needs is reserved: with the fewest agents at which it is sent back at all.
    if (name === 'long-runner') expect(result.figures.longReturns).toBe(3);
  });

  it('the same seed gives the same result, another gives another', () => {
    const run = (seed: number) => JSON.stringify(scenarios['red-trunk'].run({ seed, agents: 10 }).figures);
    expect(run(4)).toBe(run(4));
    expect(run(5)).not.toBe(run(4));
  });

  it('an expectation holds up to its bound and no further', () => {
    expect([atMost('a', 2, 2), atMost('a', 2.1, 2)].map(({ holds }) => holds)).toEqual([true, false]);
    expect([atLeast('a', 2, 2), atLeast('a', 1.9, 2)].map(({ holds }) => holds)).toEqual([true, false]);
    expect([below('a', 1.9, 2), below('a', 2, 2)].map(({ holds }) => holds)).toEqual([true, false]);
  });

  it('what never lands counts as starved, however fast the rest is', () => {
    const maker = new Maker(1, 1_000);
    // One task takes longer than the whole run.
    const workload = maker.stream((number) => ({
      ...wideTask(maker, 20, 2_000),
      ...(number === 0 ? { workMs: 1e9 } : {}),
    }));
    const durationMs = 240_000;
    const { figures, noStarvation } = tell({ agents: 5, seed: 1, durationMs, warmupMs: 0, workload, openTasks: 5 });
    expect(figures.openMaxMs).toBe(durationMs);
    expect(figures.lifeMaxMs).toBeLessThan(durationMs / 2);
    expect(noStarvation.holds).toBe(false);
  });
});
