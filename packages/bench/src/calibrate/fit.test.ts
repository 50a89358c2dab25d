// The fit beside costs that are known: a made-up simulator whose answer follows from its costs by a formula.

import { describe, expect, it } from 'vitest';
import type { LiveResult } from '../live/result.ts';
import { cycleShapeOf } from './cycle-shape.ts';
import { calibrate, type LivePoint, pointsOf, type Simulate } from './fit.ts';

/** Agents go round as fast as messages let them, until the writer is full. */
const simulate: Simulate = ({ agents }, { cycleMs, proposalMs, crowdMs, messageMs, answerMs, keepMs }) => {
  const aroundMs = 3 * messageMs + cycleMs + answerMs + keepMs;
  const fullPerMin = 60_000 / (cycleMs / 100 + proposalMs + crowdMs * 100);
  return {
    landedPerMin: Math.min((agents * 60_000) / aroundMs, fullPerMin),
    landP50Ms: messageMs + cycleMs + keepMs + agents * proposalMs,
  };
};

const truth = {
  cycleMs: 40,
  proposalMs: 0.5,
  crowdMs: 0.002,
  cycleSpread: 0.2,
  durableShare: 0.2,
  coalesceMs: 0,
  messageMs: 9,
  answerMs: 1,
  keepMs: 2,
};

function measured(agents: number, off = 1): LivePoint {
  const { landedPerMin, landP50Ms } = simulate({ agents } as LivePoint, truth);
  return {
    agents,
    landedPerMin: landedPerMin * off,
    landP50Ms: landP50Ms * off,
    openIntents: 2_000,
    cycleSpread: 0.2,
    durableShare: 0.2,
    runs: 1,
  };
}

describe('a calibration', () => {
  const sizes = [10, 50, 100, 500, 1_000, 2_000, 5_000];

  it('[CF3] finds costs that were there', () => {
    const { costs, points, landedErrorPercent, landErrorPercent, tried } = calibrate(
      sizes.map((agents) => measured(agents)),
      simulate,
    );
    expect(points.map(({ use }) => use)).toEqual(sizes.map((_, index) => (index % 2 === 0 ? 'fitted' : 'judged')));
    expect(landedErrorPercent).toBeLessThan(10);
    expect(landErrorPercent).toBeLessThan(10);
    // What a full writer needs for a proposal, of which the formula lets no part be told from another: 1.1 ms.
    const needed = costs.cycleMs / 100 + costs.proposalMs + 100 * costs.crowdMs;
    expect(Math.abs(needed - 1.1)).toBeLessThan(0.1);
    expect(costs.coalesceMs).toBe(0);
    expect(tried).toBeLessThan(130);
  });

  it('[CF1] is judged by sizes that it does not look at', () => {
    const odd = sizes.map((agents, index) => measured(agents, index % 2 === 0 ? 1 : 2));
    const { costs, landedErrorPercent, landErrorPercent } = calibrate(odd, simulate);
    const same = calibrate(
      sizes.map((agents) => measured(agents)),
      simulate,
    );
    expect(costs).toEqual(same.costs);
    // What judges was measured at twice what holds: the fit is half of it.
    expect(landedErrorPercent).toBeGreaterThan(40);
    expect(landErrorPercent).toBeGreaterThan(40);
  });

  it('[CF2] takes the median of several runs of one size', () => {
    const run = (agents: number, landedPerMin: number) => ({
      agents,
      landedPerMin,
      landP50Ms: landedPerMin,
      openIntents: 9,
      cycleSpread: landedPerMin / 10,
      durableShare: landedPerMin / 20,
    });
    const points = pointsOf([run(100, 5), run(10, 1), run(100, 9), run(100, 6), run(10, 3)]);
    expect(points).toEqual([
      { agents: 10, landedPerMin: 2, landP50Ms: 2, openIntents: 9, cycleSpread: 0.2, durableShare: 0.1, runs: 2 },
      { agents: 100, landedPerMin: 6, landP50Ms: 6, openIntents: 9, cycleSpread: 0.6, durableShare: 0.3, runs: 3 },
    ]);
  });

  it('[CF6] [CF7] takes how cycles vary, and what lies behind their commits, from sizes that are fitted and fill cycles, and from no other', () => {
    const seen = sizes.map((agents, index) => {
      const isFitted = index % 2 === 0;
      return {
        ...measured(agents),
        cycleSpread: isFitted ? agents / 1_000 : 99,
        durableShare: isFitted ? agents / 10_000 : 0.99,
      };
    });
    const { cycleSpread, durableShare } = calibrate(seen, simulate).costs;
    // Of 10, 100, 1,000 and 5,000 agents, of whom the first two fill no cycle.
    expect(cycleSpread).toBeCloseTo(3, 6);
    expect(durableShare).toBeCloseTo(0.055, 6);
  });

  it('[CF6] [CF7] finds how cycles vary by how much counted seconds do, and what comes after their commits', () => {
    const run = (landed: readonly number[], proposalsPerCycle: number) => ({
      seconds: landed.map((count, second) => ({ second, landed: count, rssMiB: null, eventLoopMs: null })),
      countedFromMs: 1_000,
      countedMs: 4_000,
      trunkCycle: { proposalsPerCycle, cycleMs: 200, journalMs: 40 } as LiveResult['trunkCycle'],
    });
    // The first and the last second are not counted. Seconds vary by 0.1 around 1,000, of four cycles each.
    expect(cycleShapeOf(run([9, 900, 1_100, 900, 1_100, 9], 250)).cycleSpread).toBeCloseTo(
      Math.sqrt(Math.log1p(0.04)),
      9,
    );
    expect(cycleShapeOf(run([9, 1_000, 1_000, 1_000, 1_000, 9], 250)).cycleSpread).toBe(0);
    expect(cycleShapeOf(run([9, 0, 0, 0, 0, 9], 250))).toEqual({ cycleSpread: 0, durableShare: 0.25 });
  });
});
