// A comparison with peers as text for the terminal.

import type { PeersResult } from '@firetrident/bench';
import { table } from './render.ts';

const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
const header = [
  'system',
  'landings/min',
  'firetrident ×',
  'to land p50',
  'p99',
  'conflicts',
  'failed',
  'git processes',
  'checks',
];

/** The rows of a comparison, each said to be measured. */
export function peersText(result: PeersResult): string {
  const { plan, firetrident, spawnMs, host } = result;
  const rows = result.peers.map((row) => [
    row.system,
    row.landedPerMin.toFixed(0),
    row.ratio === null ? '' : row.ratio.toFixed(1),
    milliseconds(row.timeToLandMs.p50),
    milliseconds(row.timeToLandMs.p99),
    String(row.conflicts),
    String(row.failed),
    String(row.gitProcesses),
    String(row.checkRuns),
  ]);
  if (firetrident !== null) {
    const { landedPerMin, timeToLandMs: time, outcomes } = firetrident;
    const cells = [landedPerMin.toFixed(0), '1.0', milliseconds(time.p50), milliseconds(time.p99)];
    rows.unshift(['firetrident', ...cells, String(outcomes.returned ?? 0), '', '', '']);
  }
  const { checks } = plan;
  const rates = checks === null ? '' : `, ${checks.failurePercent} % broken, ${checks.flakePercent} % flakes`;
  const checked = checks === null ? 'no checks' : `checks of ${checks.durationMs} ms${rates}`;
  const work = plan.workMs === 0 ? 'no work time' : `work of ${plan.workMs} ms`;
  const conditions = `${plan.agents} agents, ${plan.durationMs / 1_000} s each, ${plan.hotPercent} % hot, ${work}, ${checked}`;
  const machine = `${host.cores} cores, ${host.cpu}; a process of git takes ${milliseconds(spawnMs)}`;
  return `MEASURED: ${conditions}; ${machine}.\n\n${table(header, rows)}`;
}
