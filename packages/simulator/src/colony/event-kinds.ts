// What happens in a simulated colony.

/** Kinds of events. The subject of all but `cycle`, `commit`, `told`, `tick`, `wake`, `pause` and `resume` is an agent. */
export const eventKinds = {
  ask: 0,
  done: 1,
  cycle: 2,
  commit: 3,
  tick: 4,
  heartbeat: 5,
  wake: 6,
  join: 7,
  die: 8,
  pause: 9,
  resume: 10,
  told: 11,
} as const;
