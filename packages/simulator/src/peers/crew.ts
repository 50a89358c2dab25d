// Agents that wait for work, the longest waiting first, and what their waiting costs.
//
//   CW1. An agent is either at work or waiting; all wait at the beginning.
//   CW2. Waiting agents are woken, never polled: asking costs nothing while there is nothing.

import type { Tally } from '../measure/tally.ts';

/** The agents of one run, as numbers from 0. */
export class Crew {
  readonly #tally: Tally;
  readonly #sinceMs: Float64Array;
  /** A ring of waiting agents: as many places as agents. */
  readonly #ring: Int32Array;
  #first = 0;
  #count = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
    this.#sinceMs = new Float64Array(tally.agents);
    this.#ring = new Int32Array(tally.agents);
    for (let agent = 0; agent < tally.agents; agent += 1) this.wait(agent, 0); // (CW1)
  }

  /** Agents that wait. */
  get waiting(): number {
    return this.#count;
  }

  /** The agent has nothing to do from now on, until it is sent (CW2). */
  wait(agent: number, nowMs: number): void {
    this.#sinceMs[agent] = nowMs;
    this.#ring[(this.#first + this.#count) % this.#ring.length] = agent;
    this.#count += 1;
  }

  /** The agent that waits longest takes work: a request and its answer, or a wake-up and its answer. Somebody waits. */
  send(nowMs: number): number {
    const agent = this.#ring[this.#first] as number;
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#count -= 1;
    this.#tally.idle(this.#sinceMs[agent] as number, nowMs);
    this.#tally.messaged(nowMs, 2);
    return agent;
  }

  /** The run ends, and with it the waiting. */
  end(nowMs: number): void {
    while (this.#count > 0) {
      const agent = this.#ring[this.#first] as number;
      this.#first = (this.#first + 1) % this.#ring.length;
      this.#count -= 1;
      this.#tally.idle(this.#sinceMs[agent] as number, nowMs);
    }
  }
}
