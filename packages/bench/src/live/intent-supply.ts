// The supply of intents: keeps as many open as the plan asks for, in calls that are small enough not to hold up the colony.
//
//   IS1. What is open is what was made less what was taken, so that no call asks the daemon for it.

import type { Client } from '@firetrident/client';
import type { LivePlan } from './plan.ts';
import { IntentDraws } from './workload.ts';

const intentsPerCall = 100;

/** Tops up the open intents of one colony. */
export class IntentSupply {
  readonly #client: Client;
  readonly #colony: string;
  readonly #wanted: number;
  readonly #draws: IntentDraws;
  #made = 0;
  #filling: Promise<void> | null = null;

  constructor(client: Client, colony: string, plan: LivePlan) {
    this.#client = client;
    this.#colony = colony;
    this.#wanted = plan.openIntents;
    this.#draws = new IntentDraws(plan);
  }

  /** Makes what is missing, given how many were taken so far (IS1). One filling is under way at a time. */
  fill(taken: number): Promise<void> {
    this.#filling ??= this.#fill(taken).finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #fill(taken: number): Promise<void> {
    while (this.#made - taken < this.#wanted) {
      const count = Math.min(intentsPerCall, this.#wanted - (this.#made - taken));
      const intents = Array.from({ length: count }, () => {
        const { title, paths } = this.#draws.next();
        return { title, paths: [...paths] };
      });
      await this.#client.call('createIntents', { parts: { colony: this.#colony }, body: { intents } });
      this.#made += count;
    }
  }
}
