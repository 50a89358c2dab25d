// Live runs: throughput, times, failures and memory by agents; where the time of a landing goes.

import { barChart } from '../charts/bar-chart.ts';
import { lineChart, type Series } from '../charts/line-chart.ts';
import { htmlTable, timeText, wholeText } from '../charts/markup.ts';
import type { LiveResult } from '../live/result.ts';
import type { ResultFile } from '../results/result-file.ts';
import { type Found, found, runName, sourceOf } from './sources.ts';

type Live = Found<'live'>;

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

/** The section about live runs; nothing without any. */
export function liveSection(files: readonly ResultFile[]): string {
  const runs = [...found(files, 'live')].sort((left, right) => left.result.agents - right.result.agents);
  if (runs.length === 0) return '';
  const bySize = runs.filter(({ result }) => isPlain(result));
  const charts = [
    ...sizeCharts(bySize),
    landingChart(runs),
    cycleChart(runs),
    loopChart(runs),
    ...secondCharts(runs),
    ...minuteCharts(runs),
  ];
  return `<h2 id="live">Live: agents on a daemon</h2>
<p>Synthetic agents in processes of their own take, propose and hear the outcome, on a daemon of the same machine. There is no work time and no check
unless the run is named so. All figures of this section are MEASURED.</p>
<div class="charts">${charts.join('\n')}</div>
${liveTable(runs)}
${gitTable(runs)}`;
}

/** A run that can stand in a chart by agents: the usual changes and nothing else. */
function isPlain({ scenario }: LiveResult): boolean {
  return scenario === 'adding';
}

function byAgents(runs: readonly Live[], name: string, read: (result: LiveResult) => number): Series {
  return { name, points: runs.map(({ result }) => [result.agents, read(result)] as const) };
}

function sizeCharts(runs: readonly Live[]): readonly string[] {
  const common = { kind: 'MEASURED' as const, source: sourceOf(runs), x: { label: 'agents', logarithmic: true } };
  return [
    lineChart({
      ...common,
      id: 'live-throughput',
      title: 'Throughput by agents',
      y: { label: 'landings per minute' },
      series: [byAgents(runs, 'landings per minute', ({ landedPerMin }) => landedPerMin)],
    }),
    lineChart({
      ...common,
      id: 'live-times',
      title: 'Time to land and time to take, by agents',
      y: { label: 'milliseconds', logarithmic: true },
      series: [
        byAgents(runs, 'to land, p50', ({ timeToLandMs }) => timeToLandMs.p50),
        byAgents(runs, 'to land, p99', ({ timeToLandMs }) => timeToLandMs.p99),
        byAgents(runs, 'take with work, p50', ({ takeMs }) => takeMs.p50),
        byAgents(runs, 'take with work, p99', ({ takeMs }) => takeMs.p99),
      ],
    }),
    lineChart({
      ...common,
      id: 'live-failures',
      title: 'Calls failed, by agents',
      y: { label: 'percent of calls' },
      series: [byAgents(runs, 'calls failed', ({ calls, errors }) => (calls === 0 ? 0 : (100 * errors) / calls))],
    }),
    lineChart({
      ...common,
      id: 'live-memory',
      title: 'Memory of the daemon, by agents',
      y: { label: 'MiB, greatest of the counted span' },
      series: [byAgents(runs, 'resident memory', ({ daemon }) => daemon.rssMiB)],
    }),
  ];
}

/** A name for a run among others. */
function liveName({ result }: Live): string {
  return `${wholeText(result.agents)} agents${isPlain(result) ? '' : `, ${result.scenario}`}`;
}

function cycleChart(runs: readonly Live[]): string {
  const bars = runs.map((run) => {
    const { cycleMs, planMs, buildMs, verifyMs, writeMs, refsMs, journalMs, queueWaitMs } = run.result.trunkCycle;
    const named = planMs + writeMs + refsMs + journalMs;
    return {
      name: liveName(run),
      parts: [
        { name: 'waiting for a cycle', value: queueWaitMs },
        { name: 'validating and planning', value: Math.max(0, planMs - buildMs - verifyMs) },
        { name: 'building', value: buildMs },
        { name: 'verifying', value: verifyMs },
        { name: 'writing and syncing', value: writeMs },
        { name: 'references', value: refsMs },
        { name: 'journal and news', value: journalMs },
        { name: 'rest of the cycle', value: Math.max(0, cycleMs - named) },
      ],
    };
  });
  const [title, source] = ['Where the time of a landing goes in the daemon', sourceOf(runs)];
  return barChart({
    id: 'live-cycle',
    title,
    kind: 'MEASURED',
    source,
    unit: 'milliseconds, medians of the last cycles',
    bars,
  });
}

/** What the stages of a landing are called for a reader. */
const stageNames: Readonly<Record<string, string>> = {
  outside: 'client, socket, daemon thread',
  resolve: 'reading the proposal',
  decide: 'the core',
  queue: 'waiting for a cycle',
  plan: 'validating and planning',
  build: 'building',
  verify: 'verifying',
  write: 'writing and syncing',
  refs: 'references',
  journal: 'journal',
  news: 'news',
};

/** Means of a landing by stage, of the runs that tell them. `keep` goes on beside the queue. */
function landingChart(runs: readonly Live[]): string {
  const told = runs.filter(({ result }) => (result.landingMs ?? null) !== null);
  const bars = told.map((run) => ({
    name: liveName(run),
    parts: Object.entries(run.result.landingMs ?? {})
      .filter(([stage]) => stage !== 'whole' && stage !== 'keep')
      .map(([stage, ms]) => ({ name: stageNames[stage] ?? stage, value: Math.max(0, ms) })),
  }));
  const [title, source] = ['Where the time of a landing goes, from the proposal to the news of it', sourceOf(told)];
  return barChart({ id: 'live-landing', title, kind: 'MEASURED', source, unit: 'milliseconds, means', bars });
}

function loopChart(runs: readonly Live[]): string {
  const bars = runs.map((run) => {
    const { take, wait, work, propose, land } = run.result.loopShares;
    const shares = { take, 'wait for work': wait, work, propose, 'hear the outcome': land };
    return {
      name: liveName(run),
      parts: Object.entries(shares).map(([name, value]) => ({ name, value: 100 * value })),
    };
  });
  const [title, source] = ["Where an agent's loop goes", sourceOf(runs)];
  return barChart({ id: 'live-loop', title, kind: 'MEASURED', source, unit: "percent of all agents' time", bars });
}

/** What varied over the time of the runs. */
function secondCharts(runs: readonly Live[]): readonly string[] {
  const common = { kind: 'MEASURED' as const, source: sourceOf(runs), x: { label: 'seconds since the load began' } };
  const over = (read: (second: LiveResult['seconds'][number]) => number | null) =>
    runs.map((run): Series => {
      const points = run.result.seconds.flatMap((second) => {
        const value = read(second);
        return value === null ? [] : [[second.second, value] as const];
      });
      return { name: liveName(run), points };
    });
  return [
    lineChart({
      ...common,
      id: 'live-seconds',
      title: 'Landings over time',
      y: { label: 'landings in each second' },
      series: over(({ landed }) => landed),
    }),
    lineChart({
      ...common,
      id: 'live-memory-seconds',
      title: 'Memory of the daemon over time',
      y: { label: 'MiB' },
      series: over(({ rssMiB }) => rssMiB),
    }),
  ];
}

/** Minutes from which a run counts as long. */
const longRunMinutes = 5;

/** What long runs show by the minute. */
function minuteCharts(runs: readonly Live[]): readonly string[] {
  const long = runs.filter(({ result }) => (result.minutes ?? []).length >= longRunMinutes);
  const common = { kind: 'MEASURED' as const, source: sourceOf(long), x: { label: 'minutes since the load began' } };
  const over = (read: (minute: LiveResult['minutes'][number]) => number | null) =>
    long.map((run): Series => {
      const points = run.result.minutes.flatMap((each) => {
        const value = read(each);
        return value === null ? [] : [[each.minute, value] as const];
      });
      return { name: liveName(run), points };
    });
  const charts = [
    ['memory', 'Memory by the minute', 'MiB, greatest of each minute', over(({ rssMiB }) => rssMiB)],
    ['cycle', 'A cycle by the minute', 'milliseconds, median', over(({ cycleMsP50 }) => cycleMsP50)],
    ['packs', 'Packs of the repository by the minute', 'packs', over(({ packs }) => packs)],
  ] as const;
  return charts.map(([name, title, label, series]) =>
    lineChart({ ...common, id: `live-minutes-${name}`, title, y: { label }, series }),
  );
}

const gitHeads = [
  'run',
  'agents with git',
  'their landings/min',
  'came back',
  'failed',
  'clone p50',
  'push until landed p50',
  'p99',
  'other agents',
  'their landings/min',
];

/** What agents saw that were stock git; nothing without any. */
function gitTable(runs: readonly Live[]): string {
  const rows = runs.flatMap((run) => {
    const { agents, landedPerMin } = run.result;
    // Results from before there were such agents do not tell of them.
    const git = run.result.git ?? null;
    if (git === null) return [];
    const { cloneMs, pushMs, ...counts } = git;
    return [
      [
        runName(run),
        wholeText(counts.agents),
        wholeText(counts.landedPerMin),
        String(counts.returned),
        String(counts.failed),
        timeText(cloneMs.p50),
        timeText(pushMs.p50),
        timeText(pushMs.p99),
        wholeText(agents),
        wholeText(landedPerMin),
      ],
    ];
  });
  if (rows.length === 0) return '';
  return htmlTable('MEASURED. Agents that are stock git: each clones, commits and pushes.', gitHeads, rows);
}

const heads = [
  'run',
  'agents',
  'workload',
  'landings/min',
  'to land p50',
  'p99',
  'take p50',
  'p99',
  'calls',
  'failed',
  'waiting',
  'a cycle',
  'with',
  'memory',
  'longest loop delay',
  'daemon, cores',
  'load, cores',
];

function liveTable(runs: readonly Live[]): string {
  const rows = runs.map((run) => {
    const { result } = run;
    const { timeToLandMs: land, takeMs: take, trunkCycle, daemon } = result;
    return [
      runName(run),
      wholeText(result.agents),
      result.scenario,
      wholeText(result.landedPerMin),
      timeText(land.p50),
      timeText(land.p99),
      timeText(take.p50),
      timeText(take.p99),
      wholeText(result.calls),
      String(result.errors),
      percent(result.waitShare),
      timeText(trunkCycle.cycleMs),
      trunkCycle.proposalsPerCycle.toFixed(0),
      `${daemon.rssMiB.toFixed(0)} MiB`,
      timeText(daemon.eventLoopMsMax),
      (daemon.cpuPercent / 100).toFixed(2),
      (result.loadCpuPercent / 100).toFixed(2),
    ];
  });
  return htmlTable('MEASURED. Live runs; figures are of the counted span of each run.', heads, rows);
}
