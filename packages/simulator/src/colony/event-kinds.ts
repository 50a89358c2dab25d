// What happens in a simulated colony.

/** Kinds of events. The subject of all but `cycle`, `commit`, `tick`, `wake`, `pause` and `resume` is an agent. */
export const eventKinds = {
  ask: 0,
  worked: 1,
  repaired: 2,
  cycle: 3,
  commit: 4,
  tick: 5,
  heartbeat: 6,
  wake: 7,
  join: 8,
  die: 9,
  pause: 10,
  resume: 11,
} as const;
