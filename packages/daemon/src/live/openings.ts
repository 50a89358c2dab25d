// How often, and how many at a time, one agent may open sockets.
//
//   OP1. An agent opens a few sockets at once, then one a second: whoever comes back in a storm is refused by name.
//   OP2. An agent has a bounded number of sockets.

import type { AgentId } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { wireLimits } from '@firetrident/protocol';

/** Time in which an agent may open one socket more. */
const refillMs = 1_000;

/** Openings between two looks for agents to be forgotten. */
const sweepEvery = 4_096;

interface Openings {
  sockets: number;
  /** Openings that are left, as of `at`. */
  left: number;
  at: number;
}

/** Counts the sockets of every agent. */
export class OpeningDesk {
  readonly #now: () => number;
  #asked = 0;
  readonly #ofAgents = new WeakMap<Colony, Map<AgentId, Openings>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the agent may open a socket now (OP1, OP2); the caller tells of its end with `closed`. */
  open(colony: Colony, agent: AgentId): boolean {
    const openings = this.#refilled(colony, agent);
    if (openings.left < 1 || openings.sockets >= wireLimits.socketsPerAgent) return false;
    openings.left -= 1;
    openings.sockets += 1;
    return true;
  }

  /** A socket of the agent is closed. */
  closed(colony: Colony, agent: AgentId): void {
    const ofColony = this.#ofAgents.get(colony);
    const openings = ofColony?.get(agent);
    if (openings === undefined) return;
    openings.sockets -= 1;
    // Who has none and may open as many as anybody needs no entry.
    if (openings.sockets === 0 && isFull(openings, this.#now())) ofColony?.delete(agent);
  }

  /** Forgets agents that could not be forgotten when their last socket closed. */
  #sweep(ofColony: Map<AgentId, Openings>, now: number): void {
    for (const [agent, openings] of ofColony)
      if (openings.sockets === 0 && isFull(openings, now)) ofColony.delete(agent);
  }

  #refilled(colony: Colony, agent: AgentId): Openings {
    const now = this.#now();
    const ofColony = this.#ofAgents.get(colony) ?? new Map<AgentId, Openings>();
    this.#ofAgents.set(colony, ofColony);
    const openings = ofColony.get(agent) ?? { sockets: 0, left: wireLimits.socketOpenings, at: now };
    ofColony.set(agent, openings);
    this.#asked += 1;
    if (this.#asked % sweepEvery === 0) this.#sweep(ofColony, now);
    openings.left = leftAt(openings, now);
    openings.at = now;
    return openings;
  }
}

function leftAt({ left, at }: Openings, now: number): number {
  return Math.min(wireLimits.socketOpenings, left + (now - at) / refillMs);
}

function isFull(openings: Openings, now: number): boolean {
  return leftAt(openings, now) >= wireLimits.socketOpenings;
}
