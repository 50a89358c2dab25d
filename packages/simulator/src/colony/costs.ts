// What things take in simulated time, and where each figure comes from.

/** Costs of the machine that the colony runs on. All in milliseconds. */
export interface Costs {
  /** A cycle of the trunk writer whatever is in it. */
  readonly cycleMs: number;
  /** What each proposal adds to its cycle. */
  readonly proposalMs: number;
  /** How long a lane that had no work waits for company before a cycle starts. */
  readonly coalesceMs: number;
  /** From an agent's request to its answer, or from an outcome to the agent that hears it. */
  readonly messageMs: number;
}

/**
 * The trunk writer alone took 13.3 ms for a cycle of 200 proposals in 34 commits, notes, checks and full sync included (two cores,
 * `npm run bench:trunk`, 15,011 proposals/s). The bench knows one size of cycle; of its time a full sync of pack, index and two references is
 * the part that does not grow with the proposals, and 5 ms is assumed for it. Journal and HTTP are not in that figure: until a
 * live bench has measured them, the cycle is doubled for the one, and 5 ms a message are assumed for the other. The coalescing is a rule of the lanes.
 */
export const fittedCosts: Costs = { cycleMs: 10, proposalMs: 0.083, coalesceMs: 20, messageMs: 5 };
