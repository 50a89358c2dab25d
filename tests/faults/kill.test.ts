// A short run of kills under load; `npm run faults:kill` is the long one.

import { afterAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { killRun } from './kill-run.ts';

describe('kill -9 of the daemon under load', () => {
  const directory = temporaryDirectory('firetrident-kill-');
  afterAll(() => directory.remove());

  test('[RE1] nothing acknowledged is lost, nothing lands twice, trunk and notes agree', {
    timeout: 240_000,
  }, async () => {
    const report = await killRun({ data: directory.path, seed: 20_261, agents: 12, kills: 6, busyKills: 4 });
    expect(report.violations).toEqual([]);
    expect(report.busyKills).toBeGreaterThanOrEqual(4);
    expect(report.landed).toBeGreaterThan(0);
  });
});
