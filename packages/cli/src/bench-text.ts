// A comparison as a table: aligned for the terminal, or in Markdown for a page.

import type { SimReport } from '@firetrident/bench';
import { table } from './render.ts';

type Row = SimReport['rows'][number];

const header = [
  'policy',
  'agents',
  'redo',
  'landings/min',
  'range',
  'of bound',
  '× locks-all',
  'rework',
  'idle',
  'to land p50',
  'p99',
  'σ',
  'wait p99',
  'messages/landing',
];

const seconds = (ms: number) => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 0)} s`;
const percent = (value: number) => `${value.toFixed(1)} %`;

/** The row's landings by those of another policy under the same conditions; null when that was not run. */
function ratio(row: Row, rows: readonly Row[], policy: Row['policy']): number | null {
  const other = rows.find(
    (each) => each.policy === policy && each.agents === row.agents && each.redoPercent === row.redoPercent,
  );
  return other === undefined || other.landedPerMin === 0 ? null : row.landedPerMin / other.landedPerMin;
}

function cellsOf(row: Row, rows: readonly Row[]): readonly string[] {
  const [ofBound, timesLocks] = [ratio(row, rows, 'no-conflict'), ratio(row, rows, 'locks-all')];
  return [
    row.policy,
    String(row.agents),
    `${row.redoPercent} %`,
    row.landedPerMin.toFixed(0),
    (row.ranges.landedPerMin ?? []).map((value) => value.toFixed(0)).join('–'),
    ofBound === null ? '' : percent(100 * ofBound),
    timesLocks === null ? '' : timesLocks.toFixed(2),
    percent(row.reworkPercent),
    percent(row.idlePercent),
    seconds(row.timeToLandMs.p50),
    seconds(row.timeToLandMs.p99),
    row.sigmaMean.toFixed(2),
    seconds(row.waitP99Ms),
    row.messagesPerLanding.toFixed(1),
  ];
}

function conditions({ assumptions }: SimReport): string {
  const { history, copies, work, durationMs, warmupMs, openTasks } = assumptions;
  const tasks = history === null ? 'tasks of the live driver' : `history ${history}, ${copies} copies`;
  const time = `${durationMs / 1_000} s of which ${warmupMs / 1_000} s are not counted`;
  return `SIMULATED: ${tasks}; work ${work}; ${time}; open tasks ${openTasks}.`;
}

/** The rows for a terminal, beside the bound and the locks where these were run. */
export function comparisonText(report: SimReport): string {
  const { rows } = report;
  return `${conditions(report)}\n\n${table(
    header,
    rows.map((row) => cellsOf(row, rows)),
  )}`;
}

/** The same in Markdown. */
export function comparisonMarkdown(report: SimReport): string {
  const { rows } = report;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const body = rows.map((row) => line(cellsOf(row, rows))).join('');
  return `${conditions(report)}\n\n${line(header)}${line(header.map(() => '---'))}${body}`;
}
