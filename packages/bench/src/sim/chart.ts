// A comparison as one page that needs nothing else: charts as SVG, and the rows as a table.
//
//   CH1. The page loads nothing and runs nothing.
//   CH2. Every chart says that its figures are simulated.

import type { ResultRow } from '@firetrident/simulator';
import { type Axis, colours, evenAxis, logarithmicAxis, markText } from '../charts/axes.ts';
import type { SimReport } from './report.ts';

const size = { width: 620, height: 330, left: 64, right: 16, top: 34, bottom: 44 };

type Chart = {
  readonly title: string;
  readonly unit: string;
  readonly logarithmic: boolean;
  readonly read: (row: ResultRow) => number;
  readonly range: string | null;
};

const charts: readonly Chart[] = [
  {
    title: 'Landings per minute',
    unit: '',
    logarithmic: true,
    read: (row) => row.landedPerMin,
    range: 'landedPerMin',
  },
  { title: 'Rework', unit: '%', logarithmic: false, read: (row) => row.reworkPercent, range: 'reworkPercent' },
  { title: 'Idle time of agents', unit: '%', logarithmic: false, read: (row) => row.idlePercent, range: 'idlePercent' },
  {
    title: 'Time to land, p99',
    unit: 's',
    logarithmic: true,
    read: (row) => row.timeToLandMs.p99 / 1_000,
    range: null,
  },
  {
    title: 'Wait of a task before its first take, p99',
    unit: 's',
    logarithmic: true,
    read: (row) => row.waitP99Ms / 1_000,
    range: null,
  },
  {
    title: 'Stale returns per landing (σ)',
    unit: '',
    logarithmic: false,
    read: (row) => row.sigmaMean,
    range: 'sigmaMean',
  },
];

/** A line of a chart: one policy at one share that is redone. */
function seriesOf(rows: readonly ResultRow[]): ReadonlyMap<string, readonly ResultRow[]> {
  const several = new Set(rows.map((row) => row.redoPercent)).size > 1;
  const series = new Map<string, ResultRow[]>();
  for (const row of rows) {
    const name = several ? `${row.policy}, ${row.redoPercent} % redone` : row.policy;
    series.set(name, [...(series.get(name) ?? []), row]);
  }
  return series;
}

const fixed = (value: number) => value.toFixed(1);

function lineOf(chart: Chart, rows: readonly ResultRow[], colour: string, x: Axis, y: Axis): string {
  const points = rows.map((row) => `${fixed(x.place(row.agents))},${fixed(y.place(chart.read(row)))}`);
  const bars = rows.map((row) => {
    const range = chart.range === null ? undefined : row.ranges[chart.range];
    if (range === undefined) return '';
    const [at, low, high] = [x.place(row.agents), y.place(range[0]), y.place(range[1])].map(fixed);
    return `<line x1="${at}" x2="${at}" y1="${low}" y2="${high}" stroke="${colour}"/>`;
  });
  const dots = points.map((point) => {
    const [cx, cy] = point.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
  });
  const path = `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  return path + bars.join('') + dots.join('');
}

function chartText(chart: Chart, series: ReadonlyMap<string, readonly ResultRow[]>): string {
  const rows = [...series.values()].flat();
  const { width, height, left, right, top, bottom } = size;
  const agents = rows.map((row) => row.agents);
  const x = logarithmicAxis(agents, left, width - right);
  const values = rows.map(chart.read);
  const y = (chart.logarithmic ? logarithmicAxis : evenAxis)(values, height - bottom, top);
  const verticals = x.marks.map((mark) => {
    const at = fixed(x.place(mark));
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}"/><text x="${at}" y="${height - bottom + 16}" text-anchor="middle">${markText(mark)}</text>`;
  });
  const horizontals = y.marks.map((mark) => {
    const at = fixed(y.place(mark));
    return `<line class="grid" x1="${left}" x2="${width - right}" y1="${at}" y2="${at}"/><text x="${left - 6}" y="${at}" dy="4" text-anchor="end">${markText(mark)}${chart.unit === '%' ? ' %' : ''}</text>`;
  });
  const lines = [...series.values()].map((each, index) =>
    lineOf(chart, each, colours[index % colours.length] as string, x, y),
  );
  const unit = chart.unit === '' || chart.unit === '%' ? '' : ` (${chart.unit})`;
  // (CH2)
  return `<figure><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${chart.title}"><text class="title" x="${left}" y="18">${chart.title}${unit} · SIMULATED</text>${verticals.join('')}${horizontals.join('')}${lines.join('')}<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">agents</text></svg></figure>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function rowText(row: ResultRow): string {
  const { timeToLandMs: time } = row;
  const cells = [
    row.landedPerMin.toFixed(1),
    row.reworkPercent.toFixed(1),
    row.idlePercent.toFixed(1),
    (time.p50 / 1_000).toFixed(2),
    (time.p90 / 1_000).toFixed(2),
    (time.p99 / 1_000).toFixed(2),
    row.sigmaMean.toFixed(2),
    (row.waitP99Ms / 1_000).toFixed(0),
    row.messagesPerLanding.toFixed(1),
  ];
  const first = `<td>${row.policy}</td><td>${row.agents}</td><td>${row.redoPercent}</td>`;
  return `<tr>${first}${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const heads = [
  'policy',
  'agents',
  'redone at least, %',
  'landings/min',
  'rework %',
  'idle %',
  'to land p50, s',
  'p90, s',
  'p99, s',
  'σ',
  'wait p99, s',
  'messages per landing',
];

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:1320px;margin:2rem auto;padding:0 1rem;color:#1e293b;background:#fff}
h1{font-size:1.5rem}.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1rem}figure{margin:0}
svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#475569}svg .title{font-size:14px;font-weight:600;fill:#1e293b}
.grid{stroke:#e2e8f0}.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;list-style:none}.legend i{display:inline-block;width:1.4em;height:.25em;vertical-align:middle;margin-right:.4em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}th,td{padding:.2rem .6rem;border-bottom:1px solid #e2e8f0;text-align:right}th:first-child,td:first-child{text-align:left}dt{font-weight:600}`;

/** The page (CH1, CH2). */
export function chartPage(report: SimReport): string {
  const series = seriesOf(report.rows);
  const legend = [...series.keys()].map(
    (name, index) => `<li><i style="background:${colours[index % colours.length]}"></i>${escaped(name)}</li>`,
  );
  const { policies, ...rest } = report.assumptions;
  const shared = Object.entries(rest).map(([name, value]) => `<dt>${name}</dt><dd>${escaped(String(value))}</dd>`);
  const each = Object.entries(policies).map(([name, text]) => `<dt>${name}</dt><dd>${escaped(text)}</dd>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Policies compared</title><style>${style}</style></head><body>
<h1>Policies compared in simulated time</h1>
<p>Every figure on this page is SIMULATED. Bars show the range over the seeds.</p>
<ul class="legend">${legend.join('')}</ul>
<div class="charts">${charts.map((chart) => chartText(chart, series)).join('\n')}</div>
<h2>Rows</h2>
<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${report.rows.map(rowText).join('\n')}</tbody></table>
<h2>Assumptions</h2><dl>${shared.join('')}</dl>
<h2>Policies</h2><dl>${each.join('')}</dl>
</body></html>
`;
}
