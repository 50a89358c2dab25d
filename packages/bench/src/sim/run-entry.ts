// The process of one run: gets a request, sends its progress, sends its answer, ends.

import {
  figuresOf,
  policyRun,
  type RunFigures,
  type ScenarioName,
  type ScenarioOptions,
  type ScenarioResult,
  scenarios,
} from '@firetrident/simulator';
import { optionsOf, type SimPlan, type SimRun } from './plan.ts';

/** What the process can be asked for, by kind. */
export type RunRequests = {
  readonly policy: { readonly plan: SimPlan; readonly run: SimRun };
  readonly scenario: { readonly name: ScenarioName; readonly options: ScenarioOptions };
};

/** What it answers. */
export type RunAnswers = { readonly policy: RunFigures; readonly scenario: ScenarioResult };

/** What the process sends: simulated time now and then, then the answer. */
export type RunReport<K extends keyof RunAnswers = keyof RunAnswers> =
  | { readonly kind: 'progress'; readonly nowMs: number }
  | { readonly kind: 'done'; readonly answer: RunAnswers[K] };

type Asked = { [K in keyof RunRequests]: { readonly kind: K; readonly request: RunRequests[K] } }[keyof RunRequests];

/** Microseconds of processor time that this process has used. */
function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function runPolicy({ plan, run }: RunRequests['policy']): RunFigures {
  const options = optionsOf(plan, run);
  const progress = (nowMs: number) => void process.send?.({ kind: 'progress', nowMs } satisfies RunReport);
  const startedUs = processorUs();
  const tally = policyRun(run.policy)({ ...options, progress });
  const seconds = (processorUs() - startedUs) / 1e6;
  const rssMiB = process.resourceUsage().maxRSS / 1_024;
  return figuresOf(tally, { eventsPerSecond: tally.events / seconds, processorSeconds: seconds, rssMiB });
}

function answerOf(asked: Asked): RunAnswers[keyof RunAnswers] {
  if (asked.kind === 'policy') return runPolicy(asked.request);
  return scenarios[asked.request.name].run(asked.request.options);
}

process.once('message', (message) => {
  const answer = answerOf(message as Asked);
  // Without the channel nothing keeps this process alive.
  process.send?.({ kind: 'done', answer } satisfies RunReport, undefined, undefined, () => process.disconnect());
});
