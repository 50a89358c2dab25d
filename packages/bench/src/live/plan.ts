// What a live run is asked to do, and which part of it is counted.
//
//   LP1. Nothing is counted before the fleet is complete and the colony has settled under it.

/** A live run. Durations in milliseconds from the moment in which the load begins. */
export interface LivePlan {
  readonly agents: number;
  readonly durationMs: number;
  /** Time over which the agents begin, evenly. */
  readonly rampMs: number;
  /** Open intents that the supply keeps on offer. */
  readonly openIntents: number;
  /** Median of the log-normal work time of a change; 0 for none. */
  readonly workMs: number;
  /** Changes of a hundred that rewrite one of the hot files. */
  readonly hotPercent: number;
  /** Whether changes rewrite one of 256 files of a folder instead of adding one. */
  readonly soak: boolean;
  /** Processes that carry the agents. */
  readonly workers: number;
  readonly seed: number;
}

/** Time after the ramp in which the colony settles. */
const settleMs = 15_000;

/** The part of a run that is counted, in milliseconds from its beginning (LP1): of a short run its second half. */
export function countedSpan(plan: Pick<LivePlan, 'durationMs' | 'rampMs'>): { fromMs: number; toMs: number } {
  const settled = plan.rampMs + settleMs;
  return { fromMs: settled < plan.durationMs ? settled : plan.durationMs / 2, toMs: plan.durationMs };
}
