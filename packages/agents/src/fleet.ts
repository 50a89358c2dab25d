// A fleet of command agents on one colony: registers them, gives each a checkout, runs them, and stops them all.
//
// Invariants:
//   FL1. Every agent that was registered is stopped at the end, however the fleet ends: no lease outlives it.
//   FL2. When one agent cannot go on, all end, and the first problem is told.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import { type AgentEvent, AgentLoop } from './agent-loop.ts';
import { Checkout } from './checkout.ts';
import { claimFleetDirectory, releaseFleetDirectory } from './fleet-directory.ts';

/** What a fleet works with. */
export interface FleetSettings {
  /** A client that may register agents: an administrator's. */
  readonly client: Client;
  readonly colony: string;
  readonly agents: number;
  readonly command: readonly string[];
  /** Only intents with one of these labels are worked on; any when there is none. */
  readonly labels: readonly string[];
  /** Folder for checkouts, captured patches and caches; several fleets may share it. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly maxRepairs: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
}

/** The colony's repository is not on this machine, so its objects cannot be shared with checkouts. */
export class RepositoryElsewhereError extends Error {
  override readonly name = 'RepositoryElsewhereError';
  readonly repository: string;

  constructor(repository: string) {
    super(`the colony's repository ${repository} is not on this machine`);
    this.repository = repository;
  }
}

interface Fleet {
  readonly settings: FleetSettings;
  readonly facts: ColonyResponse;
  /** Aborts when the fleet is to end at once. */
  readonly stop: AbortSignal;
  readonly drained: AbortController;
  /** Folder of this fleet's checkouts alone. */
  readonly own: string;
}

/**
 * Runs the fleet until the backlog is empty or `signal` aborts. Rejects with RepositoryElsewhereError before anything
 * is done, and with a ClientError when the daemon is lost on the way.
 */
export async function runFleet(settings: FleetSettings): Promise<void> {
  const { client, colony } = settings;
  const facts = await client.call('readColony', { parts: { colony } });
  if (!existsSync(join(facts.repository, 'objects'))) throw new RepositoryElsewhereError(facts.repository);
  const failing = new AbortController();
  const stop = AbortSignal.any([settings.signal, failing.signal]);
  const own = claimFleetDirectory(settings.directory);
  const fleet: Fleet = { settings, facts, stop, drained: new AbortController(), own };
  const agents: string[] = [];
  const problems: unknown[] = [];
  const loops: Promise<void>[] = [];
  const fail = (error: unknown) => {
    problems.push(error);
    failing.abort(); // (FL2)
  };
  for (let number = 1; number <= settings.agents && !stop.aborted; number += 1) {
    const name = `agent-${number}`;
    const { labels } = settings;
    const body = { name, kind: 'command', workspace: 'checkout' as const, labels: [...labels] };
    try {
      const registered = await client.call('registerAgent', { parts: { colony }, body });
      agents.push(registered.agentId);
      loops.push(runOne(fleet, name, registered.token).catch(fail));
    } catch (error) {
      fail(error);
    }
  }
  await Promise.all(loops);
  for (const agent of agents) await client.call('stopAgent', { parts: { colony, agent }, body: {} }).catch(fail); // (FL1)
  releaseFleetDirectory(own);
  if (problems.length > 0) throw problems[0];
}

async function runOne(fleet: Fleet, name: string, token: string): Promise<void> {
  const { settings, facts, stop, drained, own } = fleet;
  const { client, colony, directory } = settings;
  const checkout = new Checkout({
    directory: join(own, 'checkouts', name),
    repository: facts.repository,
    captured: join(directory, 'captured'),
  });
  checkout.prepare();
  const loop = new AgentLoop({
    client: new Client({ url: client.url, token }),
    colony,
    name,
    checkout,
    command: settings.command,
    labels: settings.labels,
    policy: facts.policy,
    cache: join(directory, 'cache'),
    timeoutMs: settings.timeoutMs,
    maxRepairs: settings.maxRepairs,
    signal: stop,
    drained: drained.signal,
    onEvent: settings.onEvent,
    moreWork: workWatch(client, colony),
  });
  await loop.run();
  // All agents have the same labels: where one finds nothing left, there is nothing for the others.
  drained.abort();
  await checkout.capture(name);
  // What a setup command installed is worth keeping for the next fleet; bare files are not.
  if (facts.policy.setup === null) checkout.remove();
}

/** Answers in a row that nothing is under way, and yet this agent got nothing, after which it takes the hint. */
const emptyAnswersMax = 2;

/**
 * Whether work may still come to an agent that got none: something is under way, or became takeable meanwhile. Intents
 * that wait for a person, or for an intent that does, give none; nor do those that have none of the fleet's labels.
 */
function workWatch(client: Client, colony: string): () => Promise<boolean> {
  let emptyAnswers = 0;
  return async () => {
    const { intents, takeable } = await client.call('readColony', { parts: { colony } });
    const underWay = (intents.taken ?? 0) + (intents.proposed ?? 0) > 0;
    emptyAnswers = underWay ? 0 : emptyAnswers + 1;
    return underWay || (takeable > 0 && emptyAnswers < emptyAnswersMax);
  };
}
