// How long simulated cycles take.

import { RandomStream } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { cycleDurationMs, fittedCosts } from './costs.ts';

describe('a simulated cycle', () => {
  const costs = { ...fittedCosts, cycleMs: 10, proposalMs: 0.5, crowdMs: 0.01, cycleSpread: 0 };

  it('takes its own time, that of each proposal, and the square of a crowd', () => {
    const random = new RandomStream(1);
    expect([1, 10, 100].map((proposals) => cycleDurationMs(costs, proposals, random))).toEqual([10.51, 16, 160]);
  });

  it('varies around the same mean', () => {
    const random = new RandomStream(1);
    const drawn = Array.from({ length: 20_000 }, () => cycleDurationMs({ ...costs, cycleSpread: 0.4 }, 10, random));
    const mean = drawn.reduce((sum, each) => sum + each, 0) / drawn.length;
    expect(mean).toBeGreaterThan(15.8);
    expect(mean).toBeLessThan(16.2);
    const logarithms = drawn.map((each) => Math.log(each / 16) + 0.4 ** 2 / 2);
    const spread = Math.sqrt(logarithms.reduce((sum, each) => sum + each ** 2, 0) / drawn.length);
    expect(spread).toBeCloseTo(0.4, 1);
  });
});
