// Policies and scenarios in simulated time.

import { lineChart, type Series } from '../charts/line-chart.ts';
import { htmlTable, timeText } from '../charts/markup.ts';
import type { ResultFile } from '../results/result-file.ts';
import type { SimReport } from '../sim/report.ts';
import { type Found, found, runName } from './sources.ts';

/** The section about simulated runs; nothing without any. */
export function simulatedSection(files: readonly ResultFile[]): string {
  const [runs, stories] = [found(files, 'sim'), found(files, 'scenarios')];
  if (runs.length + stories.length === 0) return '';
  return `<h2 id="simulated">Policies compared in simulated time</h2>
<p>All figures of this section are SIMULATED: rules run on the same tasks under a simulated clock, and the same command gives the same figures on every
machine.</p>
<div class="charts">${runs.flatMap((run, index) => chartsOf(run, index)).join('\n')}</div>
${runs.map(tableOf).join('\n')}${runs.map(assumptionsOf).join('\n')}
${stories.map(storiesOf).join('\n')}`;
}

type Row = SimReport['rows'][number];

function conditions({ result: { assumptions } }: Found<'sim'>): string {
  const { history, mode, work, durationMs } = assumptions;
  return `${history === null ? `mode ${mode}` : `history ${history}`}, work ${work}, ${durationMs / 1_000} s`;
}

function seriesOf(rows: readonly Row[], read: (row: Row) => number): readonly Series[] {
  const several = new Set(rows.map(({ redoPercent }) => redoPercent)).size > 1;
  const lines = new Map<string, [number, number][]>();
  for (const row of rows) {
    const name = several ? `${row.policy}, ${row.redoPercent} % redone` : row.policy;
    lines.set(name, [...(lines.get(name) ?? []), [row.agents, read(row)]]);
  }
  return [...lines].map(([name, points]) => ({ name, points }));
}

function chartsOf(run: Found<'sim'>, index: number): readonly string[] {
  const { rows } = run.result;
  const common = { kind: 'SIMULATED' as const, source: `${runName(run)}; ${conditions(run)}` };
  const x = { label: 'agents', logarithmic: true };
  const each = [
    { name: 'landings', title: 'Landings by policy', y: { label: 'landings per minute', logarithmic: true } },
    { name: 'rework', title: 'Rework by policy', y: { label: 'percent of all working time' } },
    { name: 'sigma', title: 'σ by policy', y: { label: 'stale returns for each landing' } },
    { name: 'time', title: 'Time to land by policy, p99', y: { label: 'seconds', logarithmic: true } },
  ] as const;
  const reads: Readonly<Record<(typeof each)[number]['name'], (row: Row) => number>> = {
    landings: (row) => row.landedPerMin,
    rework: (row) => row.reworkPercent,
    sigma: (row) => row.sigmaMean,
    time: (row) => row.timeToLandMs.p99 / 1_000,
  };
  return each.map(({ name, title, y }) =>
    lineChart({ ...common, id: `sim-${index}-${name}`, title, x, y, series: seriesOf(rows, reads[name]) }),
  );
}

const heads = ['policy', 'agents', 'redone at least', 'landings/min', 'rework', 'idle', 'to land p50', 'p99', 'σ'];

function tableOf(run: Found<'sim'>): string {
  const rows = run.result.rows.map((row) => [
    row.policy,
    String(row.agents),
    `${row.redoPercent} %`,
    row.landedPerMin.toFixed(0),
    `${row.reworkPercent.toFixed(1)} %`,
    `${row.idlePercent.toFixed(1)} %`,
    timeText(row.timeToLandMs.p50),
    timeText(row.timeToLandMs.p99),
    row.sigmaMean.toFixed(2),
  ]);
  return htmlTable(`SIMULATED. ${runName(run)}: ${conditions(run)}.`, heads, rows);
}

function assumptionsOf(run: Found<'sim'>): string {
  const rows = Object.entries(run.result.assumptions.policies ?? {});
  return rows.length === 0
    ? ''
    : htmlTable(`What ${runName(run)} assumes of each policy.`, ['policy', 'assumption'], rows);
}

function storiesOf(run: Found<'scenarios'>): string {
  const rows = run.result.scenarios.flatMap(({ scenario, agents, seed, expectations }) =>
    expectations.map(({ name, value, sign, bound, holds }) => [
      scenario,
      String(agents),
      String(seed),
      name,
      `${Number(value.toFixed(2))} ${sign} ${bound}`,
      holds ? 'holds' : 'fails',
    ]),
  );
  const told = new Map(run.result.scenarios.map(({ scenario, story }) => [scenario, story]));
  const table = htmlTable(
    `SIMULATED. ${runName(run)}: what must hold in each story.`,
    ['scenario', 'agents', 'seed', 'what', 'value and bound', 'verdict'],
    rows,
  );
  return `<h3>Scenarios</h3>${htmlTable('The stories.', ['scenario', 'story'], [...told])}${table}`;
}
