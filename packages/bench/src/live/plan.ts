// What a live run is asked to do, and which part of it is counted.
//
//   LP1. Nothing is counted before the fleet is complete and the colony has settled under it.

/** A live run. Durations in milliseconds from the moment in which the load begins. */
export interface LivePlan {
  readonly agents: number;
  readonly durationMs: number;
  /** Time over which the agents begin, evenly. */
  readonly rampMs: number;
  /** Time after the ramp in which the colony settles: admission finds its bounds within a few times the work time. */
  readonly settleMs: number;
  /** Open intents that the supply keeps on offer. */
  readonly openIntents: number;
  /** Median of the log-normal work time of a change; 0 for none. */
  readonly workMs: number;
  /** Changes of a hundred that rewrite one of the hot files. */
  readonly hotPercent: number;
  /** Whether changes rewrite one of 256 files of a folder instead of adding one. */
  readonly soak: boolean;
  /** Agents beside them that are stock git, each with a clone. */
  readonly gitAgents: number;
  /** Processes that carry the agents. */
  readonly workers: number;
  readonly seed: number;
}

/** Agents that one process of the load carries without being what limits it. */
const agentsPerWorker = 5_000;
/** Agents that begin in one second at most: a daemon that has to greet more lands less meanwhile. */
const begunPerSecond = 400;
const shortestRampMs = 10_000;

/** Processes that carry so many agents on a machine with so many cores: half of these, and more where those could not carry them. */
export function usualWorkers(agents: number, cores: number): number {
  const besideDaemon = Math.max(1, Math.floor(cores / 2));
  return Math.max(besideDaemon, Math.ceil(agents / agentsPerWorker));
}

/** Time over which so many agents begin. */
export function usualRampMs(agents: number): number {
  return Math.max(shortestRampMs, (agents * 1_000) / begunPerSecond);
}

/** Time after the ramp in which a colony settles, unless told otherwise. */
export const usualSettleMs = 15_000;

/** The part of a run that is counted, in milliseconds from its beginning (LP1): of a short run its second half. */
export function countedSpan(plan: Pick<LivePlan, 'durationMs' | 'rampMs' | 'settleMs'>): {
  fromMs: number;
  toMs: number;
} {
  const settled = plan.rampMs + plan.settleMs;
  return { fromMs: settled < plan.durationMs ? settled : plan.durationMs / 2, toMs: plan.durationMs };
}
