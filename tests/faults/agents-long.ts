// `npm run faults:agents [-- --trials 1000 --seed 1]`: kill -9 of daemon, runner or agent at every step of an intent's life.

import { parseArgs } from 'node:util';
import { temporaryDirectory } from '../support/git-repository.ts';
import { killTrials } from './agent-trials.ts';
import { trialSteps } from './trial-steps.ts';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    /** Only steps whose name holds this. */
    step: { type: 'string', default: '' },
  },
});
const directory = temporaryDirectory('firetrident-trials-');
const trials = Number(values.trials);
const seed = Number(values.seed);
const steps = trialSteps.filter(({ victim, step }) => `${victim}: ${step}`.includes(values.step));
console.log(`${trials} kills over ${steps.length} steps, seed ${seed}, data in ${directory.path}`);
const startedMs = performance.now();
let told = 0;
const report = await killTrials({
  data: directory.path,
  seed,
  trials,
  steps,
  onTrial: (done, { violations }) => {
    if (done < told + 20) return;
    told = done;
    console.log(
      `${done} kills, ${violations.length} violations, ${Math.round((performance.now() - startedMs) / 1_000)} s`,
    );
  },
});
for (const [name, counts] of Object.entries({
  'kills by step': report.kills,
  'steps that did not come': report.missed,
  'written files': report.kept,
  intents: report.intents,
})) {
  console.log(`${name}:`);
  for (const [key, number] of counts) console.log(`  ${key.padEnd(44)} ${number}`);
}
console.log(`violations: ${report.violations.length}`);
for (const violation of report.violations) console.log(`  ${violation}`);
if (report.violations.length === 0) directory.remove();
process.exitCode = report.violations.length === 0 ? 0 : 1;
