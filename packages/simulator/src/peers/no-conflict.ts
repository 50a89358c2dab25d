// The bound: every agent lands everything that it does, as if nobody else were there.
//
//   NC1. Nothing is ever stale, redone or waited for. No policy lands more on the same tasks with the same agents.

import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import { OpenLine } from './open-line.ts';

/** What the same agents land with no conflict at all (NC1). */
export function runNoConflict(options: PolicyOptions): Tally {
  const { agents, durationMs, progress } = options;
  const tally = new Tally(options);
  const line = new OpenLine(options.workload, options.openTasks);
  const queue = new EventQueue();
  const take = (agent: number, nowMs: number) => {
    const { task, openedAtMs } = line.take(nowMs);
    tally.messaged(nowMs, 4);
    tally.waited(nowMs, openedAtMs);
    tally.work(nowMs, nowMs + task.workMs, false);
    queue.push(nowMs + task.workMs, 0, agent, 0);
  };
  for (let agent = 0; agent < agents; agent += 1) take(agent, 0);
  while (queue.pop() && queue.atMs < durationMs) {
    tally.events += 1;
    if (tally.events % 4_096 === 0) progress?.(queue.atMs);
    tally.landed(queue.atMs, queue.atMs);
    take(queue.subject, queue.atMs);
  }
  line.end(durationMs, tally);
  return tally;
}
