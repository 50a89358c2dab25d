// This system beside its peers: the live driver on a daemon of its own, with the same agents and the same changes.

import type { LiveTarget } from '../live/own-daemon.ts';
import type { LivePlan } from '../live/plan.ts';
import type { LiveResult } from '../live/result.ts';
import { type LiveOptions, runLive } from '../live/run-live.ts';
import type { PeersPlan } from './plan.ts';

const rampMs = 10_000;
/** From the end of the ramp to the beginning of what counts. */
const settleMs = 15_000;

/** The plan of the live driver that makes the changes of a comparison. */
export function workloadOf(plan: PeersPlan): LivePlan {
  const { agents, durationMs, hotPercent, workMs, openIntents, seed } = plan;
  const isShort = durationMs < settleMs;
  return {
    agents,
    // What is counted is as long as the time of each peer; of a short run it is the second half.
    durationMs: isShort ? durationMs : durationMs + rampMs + settleMs,
    rampMs: isShort ? durationMs / 4 : rampMs,
    settleMs,
    openIntents,
    workMs,
    hotPercent,
    soak: false,
    gitAgents: 0,
    workers: 1,
    seed,
  };
}

/** Runs the live driver. */
export function runOurs(
  plan: PeersPlan,
  target: LiveTarget,
  watch: Pick<LiveOptions, 'signal' | 'progress'>,
): Promise<LiveResult> {
  return runLive(workloadOf(plan), { target, colony: `peers-${Date.now().toString(36)}`, keep: false, ...watch });
}
