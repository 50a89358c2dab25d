// Plans, their runs in processes, and what is said about them.

import type { ResultRow } from '@firetrident/simulator';
import { describe, expect, it } from 'vitest';
import { readHistoryText } from '../history/history-file.ts';
import { chartPage } from './chart.ts';
import { optionsOf, runsOf, type SimPlan } from './plan.ts';
import { assumptionsOf } from './report.ts';
import { runPlan } from './run-plan.ts';
import { RunFailedError } from './run-process.ts';
import { runScenarios } from './run-scenarios.ts';
import { sizeChecks } from './size-checks.ts';

const plan: SimPlan = {
  mode: 'history',
  policies: ['firetrident', 'locks-all', 'no-conflict'],
  agents: [5],
  seeds: [1, 2],
  redoPercents: [10],
  durationMs: 300_000,
  warmupMs: 60_000,
  openPerAgent: 3,
  openAtMost: Number.POSITIVE_INFINITY,
  testMs: 0,
  history: { name: 'hono', text: await readHistoryText('hono') },
};

/** Rows without what the machine measured, as text. */
const simulated = (rows: object) =>
  JSON.stringify(rows, (name, value) => (['eventsPerSecond', 'processorSeconds', 'rssMiB'].includes(name) ? 0 : value));

let rows: readonly ResultRow[] = [];

describe('a plan', () => {
  it('[PL1] has a run for each policy, number of agents, seed and share', () => {
    expect(runsOf({ ...plan, redoPercents: [10, 50] })).toHaveLength(12);
    const options = optionsOf(plan, { policy: 'locks-all', agents: 5, seed: 7, redoPercent: 50 });
    expect(options).toMatchObject({ agents: 5, seed: 7, redoShare: 0.5, openTasks: 15, durationMs: 300_000 });
  });

  it('[PL2] gives each run of a seed the same tasks', () => {
    const [left, right] = (['locks-all', 'no-conflict'] as const).map((policy) => {
      const { workload } = optionsOf(plan, { policy, agents: 5, seed: 3, redoPercent: 10 });
      return Array.from({ length: 20 }, () => workload.next());
    });
    expect(left).toEqual(right);
  });

  it('[RP1] [RP2] [RE1] gives the same rows twice, in its own order, whatever the number of processes', async () => {
    const heard: number[] = [];
    rows = await runPlan(plan, { jobs: 2, progress: (share) => heard.push(share) });
    const again = await runPlan({ ...plan, policies: ['firetrident'] }, { jobs: 1 });
    const once = rows.slice(0, 1);
    expect(simulated(again)).toBe(simulated(once));
    const page = (found: readonly ResultRow[]) => {
      const plain = JSON.parse(simulated(found)) as readonly ResultRow[];
      return chartPage({ rows: plain, assumptions: assumptionsOf(plan) });
    };
    expect(page(again)).toBe(page(once));
    expect(rows.map((row) => [row.policy, row.seeds])).toEqual([
      ['firetrident', [1, 2]],
      ['locks-all', [1, 2]],
      ['no-conflict', [1, 2]],
    ]);
    expect(rows.every((row) => row.rssMiB > 1 && row.eventsPerSecond > 0)).toBe(true);
    expect(heard.at(-1)).toBeCloseTo(1);
    expect(assumptionsOf(plan)).toMatchObject({
      figures: 'SIMULATED',
      measured: ['eventsPerSecond', 'processorSeconds', 'rssMiB'],
    });
  });

  it('[RP3] ends with the first run that fails, and when it is told to', async () => {
    const broken = { ...plan, history: { name: 'none', text: '' } };
    await expect(runPlan(broken, { jobs: 2 })).rejects.toBeInstanceOf(RunFailedError);
    await expect(runPlan(plan, { jobs: 2, signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('fails its check of sizes when landings fall as agents are added, or when σ reaches 1', () => {
    const row = rows.find(({ policy }) => policy === 'firetrident') as ResultRow;
    const at = (agents: number, landedPerMin: number, sigmaMean = 0) => ({ ...row, agents, landedPerMin, sigmaMean });
    const fails = (list: readonly ResultRow[]) => sizeChecks(list).flatMap(({ name, holds }) => (holds ? [] : [name]));
    expect(fails([at(10, 8), at(100, 80), at(1_000, 77)])).toEqual([]);
    expect(fails([at(10, 8), at(100, 80), at(1_000, 75)])).toEqual([
      'landings of firetrident at 1000 agents, percent of the most at fewer',
    ]);
    expect(fails([at(10, 8, 1)])).toEqual(['σ of firetrident at 10 agents']);
    expect(sizeChecks(rows.filter(({ policy }) => policy !== 'firetrident'))).toEqual([]);
  });

  it('[SR1] scenarios run in processes of their own, in the order asked for', async () => {
    const reports = await runScenarios({ names: ['red-trunk'], seeds: [2, 1], agents: 10 }, { jobs: 2 });
    expect(reports.map(({ scenario, seed, agents }) => [scenario, seed, agents])).toEqual([
      ['red-trunk', 2, 10],
      ['red-trunk', 1, 10],
    ]);
    expect(reports[0]).toMatchObject({ figuresAre: 'SIMULATED', story: expect.stringContaining('pauses') });
  });

  it('[CH1] [CH2] is drawn on a page that loads nothing', () => {
    expect(rows).toHaveLength(3);
    const page = chartPage({ rows, assumptions: assumptionsOf(plan) });
    expect(page).not.toMatch(/<script|src=|href=|url\(|NaN|undefined|Infinity/);
    expect(page.match(/· SIMULATED/g)).toHaveLength(6);
    expect(page.match(/<polyline/g)).toHaveLength(18);
  });
});
