// kill -9 of daemon, runner and agent at a step of each kind; `npm run faults:agents` does it at every step, a thousand times.

import { afterAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { killTrials } from './agent-trials.ts';
import { trialSteps } from './trial-steps.ts';

const place = temporaryDirectory('firetrident-agents-kill-');
afterAll(() => place.remove());

const chosen = [
  'runner: command, after',
  'runner: git pack-objects, during',
  'daemon: call propose, after',
  'agent: deleted',
];

it('[CK1] [CK3] [GG1] [FL1] no written file is lost, no process is left, and every intent has an owner', {
  timeout: 240_000,
}, async () => {
  const steps = trialSteps.filter(({ victim, step }) => chosen.includes(`${victim}: ${step}`));
  expect(steps).toHaveLength(chosen.length);
  const report = await killTrials({ data: place.path, seed: 7, trials: chosen.length, steps });
  expect(report.violations).toEqual([]);
  expect([...report.kills.keys()].sort()).toEqual([...chosen].sort());
  expect(report.kept.get('captured')).toBeGreaterThan(0);
});
