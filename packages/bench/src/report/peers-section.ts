// Peers on stock git beside this system, each comparison of one run.

import { barChart } from '../charts/bar-chart.ts';
import { escaped, htmlTable, timeText, wholeText } from '../charts/markup.ts';
import type { PeersResult } from '../peers/run-peers.ts';
import type { ResultFile } from '../results/result-file.ts';
import { type Found, found, runName } from './sources.ts';

/** The section about peers; nothing without any. */
export function peersSection(files: readonly ResultFile[]): string {
  const runs = found(files, 'peers');
  if (runs.length === 0) return '';
  const charts = runs.flatMap((run, index) => chartsOf(run, index));
  const rules = new Map(runs.flatMap(({ result }) => result.peers.map((row) => [row.system, row.rules] as const)));
  return `<h2 id="peers">Peers on the same machine, with stock git</h2>
<p>Each comparison ran its systems one after the other in one run, with the same changes. All figures of this section are MEASURED. The agents of
a peer live in its process and speak to it by a call of a function: no network, no tokens, no journal, no notes and no read is checked there.
Pushes sync as git does unless told otherwise, and nothing is maintained meanwhile. A peer is given what it is given in kindness, so its ratio is a lower bound.</p>
<dl>${[...rules].map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`).join('')}</dl>
<div class="charts">${charts.join('\n')}</div>
${runs.map(tableOf).join('\n')}`;
}

function conditions({ plan }: PeersResult): string {
  const { agents, hotPercent, workMs, checks } = plan;
  const checked =
    checks === null
      ? 'no checks'
      : `checks of ${checks.durationMs} ms, ${checks.slots === 0 ? 'as many at a time as wanted' : `${checks.slots} at a time`}, ${checks.failurePercent} % of changes broken, ${checks.flakePercent} % of checks flaky`;
  return `${wholeText(agents)} agents${hotPercent > 0 ? `, ${hotPercent} % of changes on hot files` : ''}${(workMs ?? 0) > 0 ? `, work of ${workMs} ms` : ''}, ${checked}`;
}

interface Row {
  readonly name: string;
  readonly landedPerMin: number;
  readonly timeToLandMs: { readonly p50: number; readonly p99: number };
  readonly rest: readonly string[];
}

function rowsOf({ peers, firetrident }: PeersResult): readonly Row[] {
  const rows = peers.map(({ system: name, landedPerMin, timeToLandMs, ratio, ...more }) => {
    const counts = [more.conflicts, more.failed, more.gitProcesses, more.checkRuns].map(wholeText);
    return { name, landedPerMin, timeToLandMs, rest: [ratio === null ? '' : ratio.toFixed(1), ...counts] };
  });
  if (firetrident === null) return rows;
  const returned = wholeText(firetrident.outcomes.returned ?? 0);
  return [{ ...firetrident, name: 'firetrident', rest: ['1.0', returned, '0', '', ''] }, ...rows];
}

function chartsOf(run: Found<'peers'>, index: number): readonly string[] {
  const rows = rowsOf(run.result);
  const common = { kind: 'MEASURED' as const, source: `${runName(run)}; ${conditions(run.result)}`, logarithmic: true };
  const bars = (read: (row: Row) => number) =>
    rows.map((row) => ({ name: row.name, parts: [{ name: row.name, value: read(row) }] }));
  return [
    barChart({
      ...common,
      id: `peers-${index}-landings`,
      title: 'Landings per minute, this system and its peers',
      unit: 'landings per minute, every mark ten times the one before',
      bars: bars(({ landedPerMin }) => landedPerMin),
    }),
    barChart({
      ...common,
      id: `peers-${index}-time`,
      title: 'Time to land, p50, this system and its peers',
      unit: 'milliseconds, every mark ten times the one before',
      bars: bars(({ timeToLandMs }) => timeToLandMs.p50),
    }),
  ];
}

const heads = [
  'system',
  'landings/min',
  'to land p50',
  'p99',
  'firetrident lands × as many',
  'came back: conflict',
  'failed check',
  'git processes',
  'checks',
];

function tableOf(run: Found<'peers'>): string {
  const rows = rowsOf(run.result).map(({ name, landedPerMin, timeToLandMs: { p50, p99 }, rest }) => [
    name,
    landedPerMin < 10 ? landedPerMin.toFixed(1) : wholeText(landedPerMin),
    timeText(p50),
    timeText(p99),
    ...rest,
  ]);
  const spawn = `a process of git takes ${timeText(run.result.spawnMs)}`;
  return htmlTable(`MEASURED. ${runName(run)}: ${conditions(run.result)}; ${spawn}.`, heads, rows);
}
