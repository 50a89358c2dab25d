// Runs a plan: each run in a process of its own, as many at a time as asked for.
//
//   RP1. A run has a process of its own, so that its memory and its processor time are its own.
//   RP2. Rows come in the order of the plan, whichever run ends first.
//   RP3. When a run fails or the signal is given, the others are ended too, and the plan with them.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ResultRow, type RunFigures, rowOf } from '@firetrident/simulator';
import { runsOf, type SimPlan, type SimRun } from './plan.ts';
import type { RunReport, RunRequest } from './run-entry.ts';

/** How a plan is watched and stopped. */
export type RunPlanOptions = {
  /** Runs at the same time. */
  readonly jobs: number;
  readonly signal?: AbortSignal;
  /** Hears how far all runs are, from 0 to 1, and what began or went on last. */
  readonly progress?: (done: number, run: SimRun) => void;
};

/** A run that did not come to its end. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';
  readonly run: SimRun;

  constructor(run: SimRun, reason: string) {
    super(`${run.policy} with ${run.agents} agents and seed ${run.seed} ended before its time: ${reason}`);
    this.run = run;
  }
}

const entry = fileURLToPath(new URL('./run-entry.ts', import.meta.url));
/** Error output of a run that is kept for the message, in characters. */
const errorLength = 2_000;

function runOnce(request: RunRequest, signal: AbortSignal, heard: (nowMs: number) => void): Promise<RunFigures> {
  return new Promise((resolve, reject) => {
    // (RP1)
    const child = fork(entry, [], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let figures: RunFigures | null = null;
    let errors = '';
    const stop = () => child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-errorLength);
    });
    child.on('message', (message) => {
      const report = message as RunReport;
      if (report.kind === 'done') figures = report.figures;
      else heard(report.nowMs);
    });
    child.once('error', reject);
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', stop);
      if (figures !== null) resolve(figures);
      else reject(new RunFailedError(request.run, errors.trim() || (killed ?? `exit code ${code}`)));
    });
    child.send(request);
  });
}

/** Runs a plan to its rows (RP2). Throws RunFailedError for a run that fails (RP3), and for one that the signal ended. */
export async function runPlan(plan: SimPlan, options: RunPlanOptions): Promise<readonly ResultRow[]> {
  const runs = runsOf(plan);
  const figures: RunFigures[] = new Array(runs.length);
  const shares = new Float64Array(runs.length);
  const stopping = new AbortController();
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, options.signal]);
  const tell = (index: number, share: number) => {
    shares[index] = share;
    options.progress?.(shares.reduce((sum, each) => sum + each, 0) / runs.length, runs[index] as SimRun);
  };
  let next = 0;
  const work = async () => {
    while (next < runs.length && !signal.aborted) {
      const index = next;
      next += 1;
      const request = { plan, run: runs[index] as SimRun };
      figures[index] = await runOnce(request, signal, (nowMs) => tell(index, nowMs / plan.durationMs));
      tell(index, 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(options.jobs, runs.length) }, work));
  } finally {
    stopping.abort();
  }
  options.signal?.throwIfAborted();
  return rowsOf(plan, runs, figures);
}

function rowsOf(plan: SimPlan, runs: readonly SimRun[], figures: readonly RunFigures[]): readonly ResultRow[] {
  const rows: ResultRow[] = [];
  for (let first = 0; first < runs.length; first += plan.seeds.length) {
    const { policy, agents, redoPercent } = runs[first] as SimRun;
    rows.push(
      rowOf({ policy, agents, redoPercent, seeds: plan.seeds }, figures.slice(first, first + plan.seeds.length)),
    );
  }
  return rows;
}
