// Storage that fails for a moment, under a colony that nobody restarts.

import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { diskErrorRun } from './disk-error-run.ts';

/** Seeds; a longer search raises it. */
const seeds = 24;

describe('disk and journal that fail for a moment under load', () => {
  test('[CL3] [CL4] lose nothing acknowledged, land nothing twice, and are got over without help', {
    timeout: 300_000,
  }, async () => {
    const found: string[] = [];
    let [reopened, putOff, landed] = [0, 0, 0];
    for (let seed = 0; seed < seeds; seed += 1) {
      const directory = temporaryDirectory('firetrident-disk-error-');
      try {
        const report = await diskErrorRun(seed, directory.path);
        found.push(...report.violations.map((violation) => `seed ${seed}: ${violation}`));
        reopened += report.reopened;
        putOff += report.putOff;
        landed += report.landed;
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      } finally {
        directory.remove();
      }
    }
    expect(found).toEqual([]);
    expect(landed).toBeGreaterThan(seeds * 10);
    expect(reopened).toBeGreaterThan(seeds / 3);
    expect(putOff).toBeGreaterThan(seeds / 3);
  });
});
