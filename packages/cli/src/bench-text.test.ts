// How a comparison reads.

import type { SimReport } from '@firetrident/bench';
import { describe, expect, it } from 'vitest';
import { comparisonMarkdown, comparisonText } from './bench-text.ts';

const base = {
  agents: 10,
  redoPercent: 10,
  seeds: [1],
  landedPerMin: 80,
  reworkPercent: 5,
  idlePercent: 2.5,
  timeToLandMs: { p50: 30, p90: 500, p99: 12_000 },
  sigmaMean: 0.25,
  waitP99Ms: 60_000,
  messagesPerLanding: 4,
  eventsPerSecond: 1,
  processorSeconds: 1,
  rssMiB: 1,
  ranges: { landedPerMin: [79, 81] as const },
};
const report: SimReport = {
  rows: [
    { ...base, policy: 'firetrident' },
    { ...base, policy: 'locks-all', landedPerMin: 50 },
    { ...base, policy: 'no-conflict', landedPerMin: 100 },
    { ...base, policy: 'firetrident', redoPercent: 50 },
  ],
  assumptions: {
    figures: 'SIMULATED',
    measured: [],
    mode: 'history',
    history: 'hono',
    copies: 100,
    work: '1 s each',
    durationMs: 20_000,
    warmupMs: 5_000,
    openTasks: '3 for each agent',
    reworkPercent: '',
    timeToLandMs: '',
    waitP99Ms: '',
    policies: {},
  },
};

describe('a comparison', () => {
  it('says that it is simulated, under which conditions, and how rows compare with bound and locks', () => {
    expect(comparisonText(report)).toMatchInlineSnapshot(`
      "SIMULATED: history hono, 100 copies; work 1 s each; 20 s of which 5 s are not counted; open tasks 3 for each agent.

      policy       agents  redo  landings/min  range  of bound  × locks-all  rework  idle   to land p50  p99   σ     wait p99  messages/landing
      firetrident  10      10 %  80            79–81  80.0 %    1.60         5.0 %   2.5 %  0.03 s       12 s  0.25  60 s      4.0
      locks-all    10      10 %  50            79–81  50.0 %    1.00         5.0 %   2.5 %  0.03 s       12 s  0.25  60 s      4.0
      no-conflict  10      10 %  100           79–81  100.0 %   2.00         5.0 %   2.5 %  0.03 s       12 s  0.25  60 s      4.0
      firetrident  10      50 %  80            79–81                         5.0 %   2.5 %  0.03 s       12 s  0.25  60 s      4.0
      "
    `);
    expect(comparisonMarkdown(report).split('\n').slice(2, 5)).toMatchInlineSnapshot(`
      [
        "| policy | agents | redo | landings/min | range | of bound | × locks-all | rework | idle | to land p50 | p99 | σ | wait p99 | messages/landing |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| firetrident | 10 | 10 % | 80 | 79–81 | 80.0 % | 1.60 | 5.0 % | 2.5 % | 0.03 s | 12 s | 0.25 | 60 s | 4.0 |",
      ]
    `);
  });
});
