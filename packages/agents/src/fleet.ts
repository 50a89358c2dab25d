// A fleet of command agents on one colony: registers them, gives each a checkout, runs them, and stops them all.

import { join } from 'node:path';
import type { Client } from '@firetrident/client';
import { Client as AgentClient } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import { type AgentEvent, AgentLoop } from './agent-loop.ts';
import { Checkout } from './checkout.ts';

export interface FleetSettings {
  /** A client that may register agents: an administrator's. */
  readonly client: Client;
  readonly colony: string;
  readonly agents: number;
  readonly command: readonly string[];
  /** Folder for checkouts, captured patches and caches. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly maxRepairs: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
}

/** Runs the fleet until the backlog is empty or `signal` aborts. Agents are stopped and their checkouts removed at the end. */
export async function runFleet(settings: FleetSettings): Promise<void> {
  const { client, colony } = settings;
  const facts = await client.call('readColony', { parts: { colony } });
  const agents: string[] = [];
  try {
    const loops: Promise<void>[] = [];
    for (let number = 1; number <= settings.agents; number += 1) {
      const name = `agent-${number}`;
      const registered = await client.call('registerAgent', {
        parts: { colony },
        body: { name, kind: 'command', workspace: 'checkout' },
      });
      agents.push(registered.agentId);
      loops.push(runOne(settings, facts, name, registered.token));
    }
    await Promise.all(loops);
  } finally {
    for (const agent of agents) await client.call('stopAgent', { parts: { colony, agent } });
  }
}

async function runOne(settings: FleetSettings, facts: ColonyResponse, name: string, token: string): Promise<void> {
  const { client, colony, directory } = settings;
  const checkout = new Checkout({
    directory: join(directory, 'checkouts', name),
    repository: facts.repository,
    captured: join(directory, 'captured'),
  });
  checkout.remove();
  checkout.prepare();
  const loop = new AgentLoop({
    client: new AgentClient({ url: client.url, token }),
    colony,
    name,
    checkout,
    command: settings.command,
    policy: facts.policy,
    cache: join(directory, 'cache'),
    timeoutMs: settings.timeoutMs,
    maxRepairs: settings.maxRepairs,
    signal: settings.signal,
    onEvent: settings.onEvent,
    moreWork: () => hasMoreWork(client, colony),
  });
  await loop.run();
  await checkout.capture(name);
  checkout.remove();
}

/** Whether anything is open, taken or proposed: blocked and abandoned intents wait for a person. */
async function hasMoreWork(client: Client, colony: string): Promise<boolean> {
  const { intents } = await client.call('readColony', { parts: { colony } });
  return (['open', 'taken', 'proposed'] as const).some((state) => (intents[state] ?? 0) > 0);
}
