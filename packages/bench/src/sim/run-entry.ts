// The process of one run: gets a plan and a run, sends its progress, sends its figures, ends.

import { figuresOf, policyRun } from '@firetrident/simulator';
import { optionsOf, type SimPlan, type SimRun } from './plan.ts';

/** What the process is sent. */
export type RunRequest = { readonly plan: SimPlan; readonly run: SimRun };

/** What the process sends: simulated time now and then, then the figures. */
export type RunReport =
  | { readonly kind: 'progress'; readonly nowMs: number }
  | { readonly kind: 'done'; readonly figures: ReturnType<typeof figuresOf> };

/** Microseconds of processor time that this process has used. */
function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function run(request: RunRequest): void {
  const options = optionsOf(request.plan, request.run);
  const progress = (nowMs: number) => void process.send?.({ kind: 'progress', nowMs } satisfies RunReport);
  const startedUs = processorUs();
  const tally = policyRun(request.run.policy)({ ...options, progress });
  const seconds = (processorUs() - startedUs) / 1e6;
  const rssMiB = process.resourceUsage().maxRSS / 1_024;
  const figures = figuresOf(tally, { eventsPerSecond: tally.events / seconds, rssMiB });
  // Without the channel nothing keeps this process alive.
  process.send?.({ kind: 'done', figures } satisfies RunReport, undefined, undefined, () => process.disconnect());
}

process.once('message', (request) => run(request as RunRequest));
