// Agents that keep a daemon busy and write down, outside of it, everything that it acknowledged.
//
// Each change adds or rewrites files of a few shared folders, so cycles hold many proposals and some come back.

import { RandomStream } from '@firetrident/base';
import { Client, ClientError } from '@firetrident/client';

/** A proposal that was acknowledged. */
export interface Acknowledged {
  readonly proposal: string;
  readonly agent: number;
  readonly path: string;
  readonly content: string;
  /** Its outcome, once that was acknowledged too. */
  outcome: { readonly state: string; readonly landing: string | null; readonly commit: string | null } | null;
}

interface LoadAgent {
  readonly number: number;
  readonly token: string;
  readonly random: RandomStream;
}

export const loadColony = 'load';

/** Drives agents against a daemon whose address changes with every restart. */
export class Load {
  /** Every acknowledged proposal, by id: the record that lives outside of the daemon. */
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly #agentCount: number;
  readonly #agents: LoadAgent[] = [];
  readonly #seed: number;
  #url = '';
  #adminToken = '';
  #running = false;
  #loops: Promise<void>[] = [];
  #intents = 0;

  constructor(agentCount: number, seed: number) {
    this.#agentCount = agentCount;
    this.#seed = seed;
  }

  /** Makes the colony and registers the agents. */
  async found(url: string, adminToken: string): Promise<void> {
    this.#url = url;
    this.#adminToken = adminToken;
    // A kill leaves the leases that it cut off to run out, and an agent does not know of all that it has.
    const policy = { limits: { leasesPerAgent: 1_000 } };
    await this.#admin().call('createColony', { body: { id: loadColony, empty: true, policy } });
    const seeds = new RandomStream(this.#seed);
    for (let number = 0; number < this.#agentCount; number += 1) {
      const { token } = await this.#admin().call('registerAgent', {
        parts: { colony: loadColony },
        body: { name: `load ${number}` },
      });
      this.#agents.push({ number, token, random: new RandomStream(seeds.below(1 << 30)) });
    }
  }

  /** Starts every agent's loop against the daemon at `url`. */
  run(url: string): void {
    this.#url = url;
    this.#running = true;
    this.#loops = this.#agents.map((agent) => this.#loop(agent));
  }

  /** Waits until so many more proposals were acknowledged than now, or every loop has ended. */
  async untilAcknowledged(more: number): Promise<void> {
    const wanted = this.acknowledged.size + more;
    let ended = false;
    void Promise.allSettled(this.#loops).then(() => {
      ended = true;
    });
    while (this.acknowledged.size < wanted && !ended) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Ends the loops; calls under way may fail, as the daemon may be gone. */
  async halt(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }

  /** Asks for every acknowledged proposal until each has its outcome. */
  async settle(url: string): Promise<void> {
    this.#url = url;
    for (const record of this.acknowledged.values()) {
      const { token } = this.#agents[record.agent] as LoadAgent;
      // A connection kept from before a kill may lead to nobody: what only asks is asked again.
      const client = new Client({ url, token });
      while (record.outcome === null) await this.#askOutcome(client, record, 5_000);
    }
  }

  #admin(): Client {
    return new Client({ url: this.#url, token: this.#adminToken, attempts: 1 });
  }

  #client(agent: LoadAgent): Client {
    return new Client({ url: this.#url, token: agent.token, attempts: 1 });
  }

  async #loop(agent: LoadAgent): Promise<void> {
    while (this.#running) {
      try {
        await this.#oneChange(agent);
      } catch (error) {
        // The daemon is being killed: whatever was not answered is unknown, and only that.
        if (!(error instanceof ClientError)) throw error;
        if (error.kind === 'refused' && error.status >= 500 && error.code !== 'shutting_down') throw error;
        if (error.kind !== 'refused') return;
      }
    }
  }

  async #oneChange(agent: LoadAgent): Promise<void> {
    const client = this.#client(agent);
    const parts = { colony: loadColony };
    this.#intents += 1;
    const number = this.#intents;
    const body = { intents: [{ title: `change ${number} of agent ${agent.number}` }] };
    const { intents } = await this.#admin().call('createIntents', { parts, body });
    const intent = intents[0]?.id;
    if (intent === undefined) throw new Error('an intent was made');
    // By its name: what the colony would offer first is not what is tested here.
    const taken = await client.call('take', { parts, body: { intent } });
    if ('wait' in taken) return;
    const path = `d${agent.random.below(4)}/f${agent.random.below(8)}.txt`;
    const content = `${path} by agent ${agent.number}, change ${number}, draw ${agent.random.below(1 << 30)}\n`;
    const answer = await client.call('propose', {
      parts,
      body: { lease: taken.lease.id, epoch: taken.lease.epoch, base: taken.base.commit, writes: [{ path, content }] },
    });
    const record: Acknowledged = { proposal: answer.proposal, agent: agent.number, path, content, outcome: null };
    this.acknowledged.set(answer.proposal, record);
    while (this.#running && record.outcome === null) await this.#askOutcome(client, record, 1_000);
    if (record.outcome?.state === 'returned') {
      await client.call('release', { parts, body: { lease: taken.lease.id, epoch: taken.lease.epoch } });
    }
  }

  async #askOutcome(client: Client, record: Acknowledged, waitMs: number): Promise<void> {
    const parts = { colony: loadColony, proposal: record.proposal };
    const status = await client.call('readProposal', { parts, query: { waitMs } });
    if (status.state === 'queued') return;
    const landed = status.state === 'landed' ? status : null;
    record.outcome = { state: status.state, landing: landed?.landing ?? null, commit: landed?.commit ?? null };
  }
}
