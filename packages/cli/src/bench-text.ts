// A comparison as a table on the terminal.

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
  'rework',
  'idle',
  'to land p50',
  'p99',
  'σ',
  'wait p99',
];

function isBoundOf(row: Row): (other: Row) => boolean {
  return (other) =>
    other.policy === 'no-conflict' && other.agents === row.agents && other.redoPercent === row.redoPercent;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 0)} s`;
const percent = (value: number) => `${value.toFixed(1)} %`;

/** The rows, with the share of the bound where the bound was run. */
export function comparisonText({ rows, assumptions }: SimReport): string {
  const cells = rows.map((row) => {
    const bound = rows.find(isBoundOf(row));
    const range = (row.ranges.landedPerMin ?? []).map((value) => value.toFixed(0)).join('–');
    return [
      row.policy,
      String(row.agents),
      `${row.redoPercent} %`,
      row.landedPerMin.toFixed(0),
      range,
      bound === undefined ? '' : percent((100 * row.landedPerMin) / bound.landedPerMin),
      percent(row.reworkPercent),
      percent(row.idlePercent),
      seconds(row.timeToLandMs.p50),
      seconds(row.timeToLandMs.p99),
      row.sigmaMean.toFixed(2),
      seconds(row.waitP99Ms),
    ];
  });
  const tasks =
    assumptions.history === null
      ? 'tasks of the live driver'
      : `history ${assumptions.history}, ${assumptions.copies} copies`;
  const time = `${assumptions.durationMs / 1_000} s of which ${assumptions.warmupMs / 1_000} s are not counted`;
  return `SIMULATED: ${tasks}; work ${assumptions.work}; ${time}.\n\n${table(header, cells)}`;
}
