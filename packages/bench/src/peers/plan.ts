// What a comparison of peers runs: which systems, how many agents, for how long, and what their checks are like.
//
//   PP1. Every system gets the same agents, the same changes from the same seed, and the same checks.

/** Ways of landing that are run beside this system, on stock git. */
export const livePeers = ['locks-fifo', 'fifo-batch', 'speculative', 'rebase-push'] as const;
/** One of them. */
export type LivePeer = (typeof livePeers)[number];
/** Everything that can stand in one comparison. */
export const peerSystems = ['firetrident', ...livePeers] as const;
/** One of them. */
export type PeerSystem = (typeof peerSystems)[number];

/** Checks as jobs that take time and no processor. */
export interface CheckPlan {
  readonly durationMs: number;
  /** Checks at the same time; 0 for as many as are wanted. */
  readonly slots: number;
  /** Changes of a hundred that are broken until their agent mends them. */
  readonly failurePercent: number;
  /** Checks of a hundred that fail though nothing is broken. */
  readonly flakePercent: number;
}

/** A comparison. Durations in milliseconds, for each system in turn. */
export interface PeersPlan {
  readonly systems: readonly PeerSystem[];
  readonly agents: number;
  readonly durationMs: number;
  /** Changes of a hundred that rewrite one of the hot files. */
  readonly hotPercent: number;
  /** Median of the log-normal work time of a change; 0 for none. What comes back for a conflict is worked on again. */
  readonly workMs: number;
  /** Open intents that a take of the locks can choose from. */
  readonly openIntents: number;
  /** Null for landing alone. */
  readonly checks: CheckPlan | null;
  /** Most changes of a batch, and of a chain. */
  readonly batch: number;
  readonly window: number;
  /** Agents that rebase and push at the same time. */
  readonly pushers: number;
  readonly seed: number;
}

/** The part of a peer's time at the beginning that is not counted: a quarter. */
export function warmUpMs({ durationMs }: Pick<PeersPlan, 'durationMs'>): number {
  return durationMs / 4;
}
