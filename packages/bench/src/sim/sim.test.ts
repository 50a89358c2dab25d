// Plans, their runs in processes, and what is said about them.

import type { ResultRow } from '@firetrident/simulator';
import { describe, expect, it } from 'vitest';
import { readHistoryText } from '../history/history-file.ts';
import { chartPage } from './chart.ts';
import { optionsOf, runsOf, type SimPlan } from './plan.ts';
import { assumptionsOf } from './report.ts';
import { runPlan } from './run-plan.ts';
import { RunFailedError } from './run-process.ts';

const plan: SimPlan = {
  mode: 'history',
  policies: ['locks-all', 'no-conflict'],
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

const simulated = (rows: object) =>
  JSON.stringify(rows, (name, value) => (['eventsPerSecond', 'processorSeconds', 'rssMiB'].includes(name) ? 0 : value));

let rows: readonly ResultRow[] = [];

describe('a plan', () => {
  it('[PL1] has a run for each policy, number of agents, seed and share', () => {
    expect(runsOf({ ...plan, redoPercents: [10, 50] })).toHaveLength(8);
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
    const again = await runPlan({ ...plan, policies: ['locks-all'] }, { jobs: 1 });
    expect(simulated(again)).toBe(simulated(rows.slice(0, 1)));
    expect(rows.map((row) => [row.policy, row.seeds])).toEqual([
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

  it('[CH1] [CH2] is drawn on a page that loads nothing', () => {
    expect(rows).toHaveLength(2);
    const page = chartPage({ rows, assumptions: assumptionsOf(plan) });
    expect(page).not.toMatch(/<script|src=|href=|url\(|NaN|undefined|Infinity/);
    expect(page.match(/· SIMULATED/g)).toHaveLength(6);
    expect(page.match(/<polyline/g)).toHaveLength(12);
  });
});
