// What a run of this system is given, and the policy of the colony that follows from it.

import { defaultPolicy, type Event, type Policy } from '@firetrident/core';
import type { PolicyOptions } from '../policy.ts';
import type { Task } from '../workload/task.ts';
import type { Costs } from './costs.ts';
import type { Switches } from './switches.ts';
import type { Worker } from './worker.ts';

/** How agents differ from each other and from the usual. */
export interface Behaviour {
  /** When an agent comes; 0 unless given. */
  readonly joinsAtMs?: (agent: number) => number;
  /** When an agent dies without a word; never unless given. */
  readonly diesAtMs?: (agent: number) => number;
  /** Whether an agent says nothing of what it read. */
  readonly hidesReads?: (agent: number) => boolean;
  /** From when to when landing is paused. */
  readonly pausedMs?: readonly [from: number, to: number];
  /** Sees all agents once a simulated second. */
  readonly watch?: (nowMs: number, workers: readonly Worker[]) => void;
  /** Hears of everything that happens in the core, in order. */
  readonly happened?: (events: readonly Event[]) => void;
  /** Hears of each task that landed. */
  readonly landed?: (landed: LandedTask) => void;
  /** Hears of each task that was opened and did not land before the end. */
  readonly left?: (openedAtMs: number) => void;
}

/** A task that landed. */
export interface LandedTask {
  readonly task: Task;
  readonly agent: number;
  readonly openedAtMs: number;
  readonly takenAtMs: number;
  readonly landedAtMs: number;
  /** How long the agent that landed it worked on it, repairs included. */
  readonly busyMs: number;
  /** How often it was taken, and how often it came back. */
  readonly takes: number;
  readonly returns: number;
  /** Things that its agent read, said nothing of, and that had moved when it landed. */
  readonly movedUnseen: number;
}

/** What a run of this system is given. */
export interface ColonyOptions extends PolicyOptions {
  readonly switches: Switches;
  readonly costs: Costs;
  readonly behaviour?: Behaviour;
}

/** Intents that are created in one command. */
export const intentsAtOnce = 256;

/** The rules of the colony: the defaults, with bounds for as many agents as there are. */
export function policyOf({ agents, openTasks, switches }: ColonyOptions): Policy {
  const { limits } = defaultPolicy;
  const plenty = agents + openTasks + intentsAtOnce;
  return {
    ...defaultPolicy,
    admission: switches.adaptiveAdmission ? defaultPolicy.admission : 'open',
    claimHalfLifeMs: switches.repulsion ? defaultPolicy.claimHalfLifeMs : 0.001,
    limits: {
      ...limits,
      agents: Math.max(agents, limits.agents),
      liveIntents: Math.max(plenty, limits.liveIntents),
      queuedProposals: Math.max(agents, limits.queuedProposals),
      pathsPerIntent: 1_024,
    },
  };
}
