// A fleet of command agents on one colony: registers them, gives each a checkout, runs them, and stops them all.
//
// Invariants:
//   FL1. Every agent that was registered is stopped at the end, however the fleet ends: by itself, or, when it was
//        killed, by the next fleet in the same folder. No lease outlives its fleet for long.
//   FL2. When one agent cannot go on, all end, and the first problem is told.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client, ClientError } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import { type AgentEvent, AgentLoop } from './agent-loop.ts';
import { Checkout } from './checkout.ts';
import type { DriverName } from './driver.ts';
import {
  checkoutsIn,
  type FleetDirectory,
  makeFleetDirectory,
  noteAgents,
  notedAgents,
  releaseFleetDirectory,
  takeOverFleetDirectories,
} from './fleet-directory.ts';
import { HeadsUpDesk, type HeadsUpPolicy } from './heads-up-desk.ts';
import type { PermissionPolicy } from './permissions.ts';

/** What a fleet works with. */
export interface FleetSettings {
  /** A client that may register agents: an administrator's. */
  readonly client: Client;
  readonly colony: string;
  readonly agents: number;
  readonly command: readonly string[];
  /** How the command is driven; `command` unless set. */
  readonly driver?: DriverName;
  /** What an agent that asks first may do; `edits` unless set. */
  readonly permissions?: PermissionPolicy;
  /** Only intents with one of these labels are worked on; any when there is none. */
  readonly labels: readonly string[];
  /** Folder for checkouts, captured patches and caches; several fleets may share it. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly maxRepairs: number;
  /** What an agent does when it hears that its ground has moved; `finish` unless set. */
  readonly headsUp?: HeadsUpPolicy;
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
  readonly own: FleetDirectory;
}

/**
 * Runs the fleet until the backlog is empty or `signal` aborts. Rejects with RepositoryElsewhereError before anything
 * is done, and with a ClientError when the daemon is lost on the way.
 */
export async function runFleet(settings: FleetSettings): Promise<void> {
  const { client, colony, directory } = settings;
  const facts = await client.call('readColony', { parts: { colony } });
  if (!existsSync(join(facts.repository, 'objects'))) throw new RepositoryElsewhereError(facts.repository);
  const own = (await inherit(settings, facts)) ?? makeFleetDirectory(directory);
  const failing = new AbortController();
  const stop = AbortSignal.any([settings.signal, failing.signal]);
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
    try {
      const body = { name, kind: kindOf(settings), workspace: 'checkout' as const, labels: [...settings.labels] };
      const registered = await client.call('registerAgent', { parts: { colony }, body });
      agents.push(registered.agentId);
      noteAgents(own, { colonyCreatedAt: facts.createdAt, agents });
      loops.push(runOne(fleet, name, registered.token).catch(fail));
    } catch (error) {
      fail(error);
    }
  }
  await Promise.all(loops);
  try {
    await stopAgents(client, colony, agents); // (FL1)
    releaseFleetDirectory(own);
  } catch (error) {
    fail(error);
  }
  if (problems.length > 0) throw problems[0];
}

async function runOne(fleet: Fleet, name: string, token: string): Promise<void> {
  const { settings, facts, stop, drained } = fleet;
  const { client, colony, directory } = settings;
  const checkout = checkoutOf(fleet, fleet.own, name);
  checkout.prepare();
  const headsUps = new HeadsUpDesk({ url: client.url, token, colony, policy: settings.headsUp ?? 'finish' });
  const loop = new AgentLoop({
    client: new Client({ url: client.url, token }),
    colony,
    name,
    checkout,
    headsUps,
    driver: settings.driver ?? 'command',
    command: settings.command,
    permissions: settings.permissions ?? 'edits',
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
  await loop.run().finally(() => headsUps.close());
  // All agents have the same labels: where one finds nothing left, there is nothing for the others.
  drained.abort();
  await checkout.capture(name);
  // What a setup command installed is worth keeping for the next fleet; bare files are not.
  if (facts.policy.setup === null) checkout.remove();
}

/** What runs the agents, as others see it: the program for those that are agents themselves. */
function kindOf({ driver = 'command', command }: FleetSettings): string {
  return driver === 'command' ? 'command' : basename(command[0] ?? driver);
}

function checkoutOf(fleet: Pick<Fleet, 'settings' | 'facts'>, folder: FleetDirectory, name: string): Checkout {
  return new Checkout({
    directory: join(folder.path, 'checkouts', name),
    repository: fleet.facts.repository,
    captured: join(fleet.settings.directory, 'captured'),
  });
}

/**
 * Puts in order what fleets left whose process ended: their agents are stopped (FL1), their changes captured (CK1). Answers one of
 * their folders to go on in, or null.
 */
async function inherit(settings: FleetSettings, facts: ColonyResponse): Promise<FleetDirectory | null> {
  const left = takeOverFleetDirectories(settings.directory);
  for (const folder of left) {
    const noted = notedAgents(folder);
    // Ids of a colony that was removed may be those of others in one that was made under its name.
    if (noted !== null && noted.colonyCreatedAt === facts.createdAt)
      await stopAgents(settings.client, settings.colony, noted.agents);
    for (const name of checkoutsIn(folder)) {
      const checkout = checkoutOf({ settings, facts }, folder, name);
      checkout.prepare();
      await checkout.capture(name);
      if (facts.policy.setup === null || folder !== left[0]) checkout.remove();
    }
    if (folder !== left[0]) releaseFleetDirectory(folder);
  }
  return left[0] ?? null;
}

/** Stops agents; one that the colony does not know any more is stopped already. */
async function stopAgents(client: Client, colony: string, agents: readonly string[]): Promise<void> {
  for (const agent of agents) {
    try {
      await client.call('stopAgent', { parts: { colony, agent }, body: {} });
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'unknown_agent') throw error;
    }
  }
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
