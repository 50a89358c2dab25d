// The cascade, the notes and the benches of single parts.

import { costsText } from '../calibrate/costs-text.ts';
import { lineChart } from '../charts/line-chart.ts';
import { escaped, htmlTable, timeText, wholeText } from '../charts/markup.ts';
import type { ResultFile } from '../results/result-file.ts';
import { type Found, found, runName } from './sources.ts';

/** The section about the cascade; nothing without any. */
export function cascadeSection(files: readonly ResultFile[]): string {
  const runs = found(files, 'cascade');
  if (runs.length === 0) return '';
  return `<h2 id="cascade">Cascade: σ and cadence over time</h2>
<p>Many agents read one file, and one landing changes it. Everybody comes back, and the region slows until that has passed. MEASURED on a live daemon.</p>
<div class="charts">${runs.flatMap(cascadeCharts).join('\n')}</div>
${runs.map(cascadeTable).join('\n')}`;
}

function cascadeCharts(run: Found<'cascade'>, index: number): readonly string[] {
  const { series } = run.result;
  const common = { kind: 'MEASURED' as const, source: runName(run), x: { label: 'seconds since the landing' } };
  const seconds = (atMs: number) => atMs / 1_000;
  return [
    lineChart({
      ...common,
      id: `cascade-${index}-sigma`,
      title: 'σ over time',
      y: { label: 'stale returns for each landing of the region' },
      series: [{ name: 'σ', points: series.map(({ atMs, sigma }) => [seconds(atMs), sigma] as const) }],
    }),
    lineChart({
      ...common,
      id: `cascade-${index}-cadence`,
      title: 'Cadence over time',
      y: { label: 'seconds between two batches of the lane' },
      series: [
        {
          name: 'a batch in',
          points: series.map(({ atMs, laneDelayMs }) => [seconds(atMs), laneDelayMs / 1_000] as const),
        },
      ],
    }),
  ];
}

function cascadeTable(run: Found<'cascade'>): string {
  const { result } = run;
  const after = (ms: number | null) => (ms === null ? 'not seen' : `${(ms / 1_000).toFixed(1)} s`);
  return htmlTable(
    `MEASURED. ${runName(run)}`,
    ['what', 'value'],
    [
      ['readers', String(result.readers)],
      ['stale returns', String(result.staleReturns)],
      ['of these blamed on the one landing', String(result.attributed)],
      ['greatest σ', result.sigmaMax.toFixed(1)],
      ['slowest cadence', `a batch in ${(result.laneDelayMsMax / 1_000).toFixed(1)} s`],
      ['slowed after', after(result.slowedAfterMs)],
      ['σ below 1 again after', after(result.recoveredAfterMs)],
      ['repairs that landed', String(result.repairsLanded)],
    ],
  );
}

/** The section about stories told to a live colony, hostile clients among them; nothing without any. */
export function storiesSection(files: readonly ResultFile[]): string {
  const [stories, hostile] = [found(files, 'live-scenario'), found(files, 'hostile')];
  if (stories.length + hostile.length === 0) return '';
  return `<h2 id="stories">Live stories</h2>
<p>What must hold when something goes wrong, on a live daemon. MEASURED.</p>
${stories.map((run) => `<p>${escaped(run.result.story)}</p>${heldTable(run, run.result.scenario)}`).join('\n')}
${hostile.map(hostileText).join('\n')}`;
}

function heldTable(run: Found<'live-scenario'> | Found<'hostile'>, name: string): string {
  const rows = run.result.expectations.map(({ what, expected, seen, holds }) => [
    what,
    expected,
    seen,
    holds ? 'holds' : 'fails',
  ]);
  return htmlTable(`MEASURED. ${runName(run)}: ${name}.`, ['what', 'expected', 'seen', 'verdict'], rows);
}

function hostileText(run: Found<'hostile'>): string {
  const { counts, landedPerMin, rssMiB } = run.result;
  const rows = (['before', 'beside', 'after'] as const).map((when) => [
    when,
    wholeText(landedPerMin[when]),
    `${rssMiB[when].toFixed(0)} MiB`,
  ]);
  const told = `Honest agents before, beside and after ${counts.halfOpen} half-open connections, ${counts.oversized} floods of oversized frames, ${counts.storming} storms of reconnections and ${counts.deaf} readers that never read.`;
  const table = htmlTable(`MEASURED. ${runName(run)}: honest agents.`, ['when', 'landings/min', 'memory'], rows);
  return `<p>${escaped(told)}</p>${table}${heldTable(run, 'hostile clients')}`;
}

/** The section about notes; nothing without any. */
export function notesSection(files: readonly ResultFile[]): string {
  const runs = found(files, 'notes-check');
  if (runs.length === 0) return '';
  const rows = runs.map((run) => {
    const { landingCommits, withoutNote, sampled, wrong, fanOut, fanOutHolds } = run.result;
    return [
      runName(run),
      String(landingCommits),
      String(withoutNote),
      String(sampled),
      String(wrong),
      `${fanOut}${fanOutHolds ? '' : ', not as designed'}`,
    ];
  });
  const heads = ['run', 'landing commits', 'without a note', 'notes looked at', 'of these wrong', 'fan-out'];
  return `<h2 id="notes">Notes, by stock git</h2>
${htmlTable('MEASURED by stock git on a clone.', heads, rows)}`;
}

/** The section about how well the simulator's costs fit; nothing without any. */
export function calibrationSection(files: readonly ResultFile[]): string {
  const runs = found(files, 'calibrate');
  if (runs.length === 0) return '';
  return `<h2 id="calibration">The simulator beside live runs</h2>
<p>Costs are fitted on every second size; the others judge. Columns say which figures are MEASURED and which SIMULATED.</p>
${runs.map(calibrationTable).join('\n')}`;
}

function calibrationTable(run: Found<'calibrate'>): string {
  const { costs, points, landedErrorPercent, landErrorPercent } = run.result;
  const percent = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(0)} %`;
  const rows = points.map((point) => [
    wholeText(point.agents),
    point.use,
    wholeText(point.landedPerMin),
    wholeText(point.simulatedPerMin),
    percent(point.landedErrorPercent),
    timeText(point.landP50Ms),
    timeText(point.simulatedP50Ms),
    percent(point.landErrorPercent),
  ]);
  const error = `median error at the sizes that judge: landings ${landedErrorPercent.toFixed(0)} %, time to land ${landErrorPercent.toFixed(0)} %`;
  const heads = [
    'agents',
    'use',
    'landings/min MEASURED',
    'SIMULATED',
    'error',
    'to land p50 MEASURED',
    'SIMULATED',
    'error',
  ];
  return htmlTable(`${runName(run)}: ${costsText(costs)}; ${error}.`, heads, rows);
}

/** The section about benches of single parts; nothing without any. */
export function partsSection(files: readonly ResultFile[]): string {
  const runs = found(files, 'script');
  if (runs.length === 0) return '';
  const rows = runs.flatMap((run) =>
    run.result.rows.map(({ name, value, unit }) => [
      run.result.bench,
      name,
      `${Number(value.toPrecision(4))} ${unit}`,
      runName(run),
    ]),
  );
  return `<h2 id="parts">Single parts</h2>
${htmlTable('MEASURED. Benches of one part beside a peer or a raw limit of the same run.', ['bench', 'what', 'value', 'run'], rows)}`;
}
