// What a tally counts and what it leaves out.

import { describe, expect, it } from 'vitest';
import { figuresOf, rowOf } from './result.ts';
import { Tally } from './tally.ts';

const cost = { eventsPerSecond: 1, processorSeconds: 1, rssMiB: 1 };
const tallyOf = () => new Tally({ agents: 2, durationMs: 90_000, warmupMs: 30_000 });

describe('a tally', () => {
  it('[TA1] counts the part of a span that lies after the warm-up and before the end', () => {
    const tally = tallyOf();
    tally.work(0, 40_000, false);
    tally.work(80_000, 100_000, true);
    tally.idle(10_000, 20_000);
    tally.landed(29_999, 0);
    tally.landed(30_000, 10_000);
    tally.landed(90_000, 10_000);
    expect([tally.workMs, tally.redoneMs, tally.idleMs, tally.landings]).toEqual([20_000, 10_000, 0, 1]);
    expect(figuresOf(tally, cost)).toMatchObject({ landedPerMin: 1, reworkPercent: 50, idlePercent: 0 });
  });

  it('[TA2] takes rework as a part of all work, however it was booked', () => {
    const tally = tallyOf();
    tally.work(30_000, 40_000, false);
    tally.discard(30_000, 35_000);
    tally.work(40_000, 50_000, true);
    expect(figuresOf(tally, cost).reworkPercent).toBe(75);
  });

  it('[TA3] lets a task that is never taken wait until the end', () => {
    const tally = tallyOf();
    tally.waited(30_000, 29_000);
    tally.waited(90_000, 0);
    expect(figuresOf(tally, cost).waitP99Ms).toBe(90_000);
  });
});

describe('a row', () => {
  it('[RS1] holds means and ranges over its seeds', () => {
    const runs = [2, 4].map((landings) => {
      const tally = tallyOf();
      for (let index = 0; index < landings; index += 1) tally.landed(40_000, 40_000 - 1_000 * landings);
      return figuresOf(tally, cost);
    });
    const row = rowOf({ policy: 'locks-all', agents: 2, redoPercent: 10, seeds: [1, 2] }, runs);
    expect(row).toMatchObject({ policy: 'locks-all', agents: 2, seeds: [1, 2], landedPerMin: 3 });
    expect(row.timeToLandMs.p50).toBe(3_000);
    expect(row.ranges.landedPerMin).toEqual([2, 4]);
  });
});
