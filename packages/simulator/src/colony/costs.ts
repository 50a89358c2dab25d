// What things take in simulated time, and where each figure comes from.

/** Costs of the machine that the colony runs on. All in milliseconds, except for the spread. */
export interface Costs {
  /** A cycle of the trunk writer whatever is in it. */
  readonly cycleMs: number;
  /** What each proposal adds to its cycle. */
  readonly proposalMs: number;
  /** What each proposal adds for each proposal in its cycle: the fuller a cycle, the more of its time goes to others that want the processor. */
  readonly crowdMs: number;
  /** Standard deviation of the logarithm of a cycle's time around these; 0 where each takes exactly that. */
  readonly cycleSpread: number;
  /** How long a lane that had no work waits for company before a cycle starts. */
  readonly coalesceMs: number;
  /** From an agent's request to its answer, or from an outcome to the agent that hears it. */
  readonly messageMs: number;
}

/**
 * The trunk writer alone took 13.3 ms for a cycle of 200 proposals in 34 commits, notes, checks and full sync included (two cores,
 * `npm run bench:trunk`, 15,011 proposals/s). The bench knows one size of cycle; of its time a full sync of pack, index and two references is
 * the part that does not grow with the proposals, and 5 ms is assumed for it. Journal and HTTP are not in that figure: until a
 * live bench has measured them, the cycle is doubled for the one, and 5 ms a message are assumed for the other. A lane may coalesce for 20 ms; the daemon begins at once.
 */
export const fittedCosts: Costs = {
  cycleMs: 10,
  proposalMs: 0.083,
  crowdMs: 0,
  cycleSpread: 0,
  coalesceMs: 20,
  messageMs: 5,
};
