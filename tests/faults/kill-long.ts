// `npm run faults:kill`: kill -9 at 200 random moments under load, at least 150 of them with a cycle or a queue under way.

import { temporaryDirectory } from '../support/git-repository.ts';
import { killRun } from './kill-run.ts';

const directory = temporaryDirectory('firetrident-kill-');
const seed = Number(process.argv[2] ?? 1);
console.log(`kill -9 under load, seed ${seed}, data in ${directory.path}`);
const report = await killRun({
  data: directory.path,
  seed,
  agents: 16,
  kills: 200,
  busyKills: 150,
  onKill: (kills, busy, acknowledged) => {
    if (kills % 20 === 0)
      console.log(`${kills} kills, ${busy} with work under way, ${acknowledged} proposals acknowledged`);
  },
});
console.log(`kills ${report.kills}, with a cycle or a queue under way ${report.busyKills}`);
console.log(`acknowledged ${report.acknowledged}, landed ${report.landed}, violations ${report.violations.length}`);
for (const violation of report.violations) console.log(`  ${violation}`);
if (report.violations.length === 0) directory.remove();
process.exitCode = report.violations.length === 0 && report.busyKills >= 150 ? 0 : 1;
