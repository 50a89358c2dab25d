// The event loop watched: what held it up adds up to the delay.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LoopWatch } from './loop-watch.ts';

test('[LW1] [LW2] the longest delay is told once, with parts that add up to it', async () => {
  const watch = new LoopWatch();
  await pause(20);
  watch.take();
  const garbage: object[] = [];
  for (let round = 0; round < 200_000; round += 1) garbage.push({ round });
  await pause(20);
  const { delayMs, collectingMs, workingMs, notRunMs } = watch.take();
  watch.close();
  expect(garbage).toHaveLength(200_000);
  expect(collectingMs + workingMs + notRunMs).toBeCloseTo(delayMs, 6);
  expect(Math.min(collectingMs, workingMs, notRunMs)).toBeGreaterThanOrEqual(0);
  expect(watch.take().delayMs).toBe(0);
});
