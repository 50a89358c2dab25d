// Honest agents with and without hostile clients beside them: what the hostile ones cost.
//
//   RH1. The same plan runs without, with, and without hostile clients on one daemon; the honest ones are compared with
//        the mean of the two runs that frame them, so that what drifts meanwhile cancels.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from '@firetrident/client';
import { exactly, type LiveExpectation, noMoreThan } from './expectation.ts';
import type { HostileCounts, HostileReport, HostileRequest } from './hostile-entry.ts';
import type { LivePlan } from './plan.ts';
import type { LiveResult } from './result.ts';
import { type LiveOptions, runLive } from './run-live.ts';

const entry = fileURLToPath(new URL('./hostile-entry.ts', import.meta.url));
/** Agents whose tokens the hostile clients hold. */
const hostileAgents = 16;
/** What hostile clients may take of the honest ones' throughput, in percent. */
const fallAtMost = 20;
/** What they may add to the daemon's memory. */
const memoryAtMostMiB = 200;

/** Hostile clients unless told otherwise. */
export const usualHostileCounts: HostileCounts = { halfOpen: 400, oversized: 8, storming: 4, deaf: 16 };

/** What was seen. */
export interface HostileResult {
  readonly figures: 'MEASURED';
  readonly scenario: 'hostile';
  readonly counts: HostileCounts;
  readonly hostile: HostileReport;
  readonly landedPerMin: { readonly before: number; readonly beside: number; readonly after: number };
  readonly fallPercent: number;
  readonly rssMiB: { readonly before: number; readonly beside: number; readonly after: number };
  readonly expectations: readonly LiveExpectation[];
  readonly runs: readonly LiveResult[];
}

/** Hostile clients at work. */
class HostileClients {
  readonly #child: ChildProcess;
  report: HostileReport = { connections: 0, cut: 0, upgrades: 0, megabytesSent: 0, unreadCalls: 0 };

  constructor(request: HostileRequest) {
    this.#child = fork(entry, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (report) => {
      this.report = report as HostileReport;
    });
    this.#child.send(request);
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Runs the plan three times (RH1). Rejects when the honest load or the daemon fails. */
export async function runHostile(
  plan: LivePlan,
  counts: HostileCounts,
  options: Pick<LiveOptions, 'target' | 'colony' | 'signal' | 'progress'>,
): Promise<HostileResult> {
  const run = (name: string, beside: Pick<LiveOptions, 'beside'> = {}) =>
    runLive(plan, { ...options, ...beside, colony: `${options.colony}-${name}`, keep: false });
  const before = await run('before');
  let hostile: HostileClients | null = null;
  const beside = await run('beside', {
    beside: async () => {
      hostile = new HostileClients(await requestOf(options, `${options.colony}-beside`, counts));
      return async () => hostile?.end();
    },
  });
  const report = (hostile as HostileClients | null)?.report;
  if (report === undefined) throw new Error('the hostile clients were never begun');
  const after = await run('after');
  const usual = (before.landedPerMin + after.landedPerMin) / 2;
  const fallPercent = usual === 0 ? 0 : 100 * (1 - beside.landedPerMin / usual);
  const grownMiB = beside.daemon.rssMiB - before.daemon.rssMiB;
  return {
    figures: 'MEASURED',
    scenario: 'hostile',
    counts,
    hostile: report,
    landedPerMin: { before: before.landedPerMin, beside: beside.landedPerMin, after: after.landedPerMin },
    fallPercent,
    rssMiB: { before: before.daemon.rssMiB, beside: beside.daemon.rssMiB, after: after.daemon.rssMiB },
    expectations: [
      noMoreThan('percent that honest landings fell by', fallPercent, fallAtMost),
      exactly('calls of honest agents that failed', beside.totalErrors, 0),
      noMoreThan('MiB that the daemon grew by', grownMiB, memoryAtMostMiB),
    ],
    runs: [before, beside, after],
  };
}

async function requestOf(
  { target }: Pick<LiveOptions, 'target'>,
  colony: string,
  counts: HostileCounts,
): Promise<HostileRequest> {
  const admin = new Client({ url: target.url, token: target.adminToken });
  const tokens: string[] = [];
  for (let number = 0; number < hostileAgents; number += 1) {
    const body = { name: `hostile ${number}`, kind: 'bench' };
    tokens.push((await admin.call('registerAgent', { parts: { colony }, body })).token);
  }
  const { hostname, port } = new URL(target.url);
  return { host: hostname, port: Number(port), colony, tokens, counts };
}
