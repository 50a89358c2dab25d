// Percentiles from buckets beside those of the sorted durations themselves.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Durations } from './durations.ts';

const durations = fc.array(fc.double({ min: 0.02, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 300 });

it('[DU1] a percentile is off by 1 % of its value at most, also when counts of several are summed', () => {
  fc.assert(
    fc.property(durations, durations, fc.constantFrom(0.5, 0.9, 0.99), (left, right, share) => {
      const [first, second] = [new Durations(), new Durations()];
      for (const duration of left) first.add(duration);
      for (const duration of right) second.add(duration);
      first.addAll(second.toCounts());
      const sorted = [...left, ...right].sort((one, other) => one - other);
      const exact = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
      expect(Math.abs(first.percentile(share) / exact - 1)).toBeLessThan(0.0101);
      expect(first.count).toBe(sorted.length);
    }),
  );
});

it('[DU1] without durations there is no percentile but 0', () => {
  expect(new Durations().percentiles).toEqual({ p50: 0, p90: 0, p99: 0 });
});
