// Power cuts at random operations, on ports that forget what was not synced.

import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { type PowerCutReport, powerCutRun } from './power-cut-run.ts';

const timeoutMs = 300_000;
/** Seeds of each of the four stretches; a longer search raises it. */
const stretch = 10;

async function atSeed(seed: number, ignoredSync: 'contents' | 'names' | null = null): Promise<PowerCutReport> {
  const directory = temporaryDirectory('firetrident-power-cut-');
  try {
    return await powerCutRun(seed, directory.path, { ignoredSync });
  } finally {
    directory.remove();
  }
}

describe('power cuts under load', () => {
  const branches = new Set<string>();

  test.each([0, 1, 2, 3])(
    '[RE1] [RE2] [CL2] lose nothing acknowledged and land nothing twice, stretch %i',
    {
      timeout: timeoutMs,
    },
    async (part) => {
      const found: string[] = [];
      let landed = 0;
      for (let seed = part * stretch; seed < (part + 1) * stretch; seed += 1) {
        const report = await atSeed(seed).catch((error: unknown) => {
          throw new Error(`seed ${seed}`, { cause: error });
        });
        found.push(...report.violations.map((violation) => `seed ${seed}: ${violation}`));
        for (const branch of report.branches) branches.add(branch);
        landed += report.landed;
      }
      expect(found).toEqual([]);
      expect(landed).toBeGreaterThan(stretch * 5);
    },
  );

  // A stretch alone may miss the rarest: a push by others between the fall of the power and the start after it.
  test('[RE2] have taken every way of recovery', () => {
    expect([...branches]).toEqual(expect.arrayContaining(['finished', 'foreign', 'not-intended', 'rolled-back']));
  });

  // The proof that the runs above can fail: a disk that only says that it synced.
  test.each(['contents', 'names'] as const)(
    'are survived by luck where %s are not synced',
    {
      timeout: timeoutMs,
    },
    async (ignoredSync) => {
      let failed = 0;
      for (let seed = 0; seed < 8; seed += 1) {
        const survived = await atSeed(seed, ignoredSync).then(
          ({ violations }) => violations.length === 0,
          () => false,
        );
        if (!survived) failed += 1;
      }
      expect(failed).toBeGreaterThanOrEqual(6);
    },
  );
});
