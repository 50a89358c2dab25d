// A fleet of command agents on one colony: registers them, gives each a checkout, runs them, and stops them all.
//
// Invariants:
//   FL1. Every agent that was registered is stopped at the end, however the fleet ends: by itself, or, when it was
//        killed, by the next fleet in the same folder. No lease outlives its fleet for long.
//   FL2. When one agent cannot go on, all end, and the first problem is told.

import { existsSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { Client, ClientError } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import type { AgentEvent } from './agent-event.ts';
import { AgentLoop } from './agent-loop.ts';
import { Checkout } from './checkout.ts';
import { type CheckoutLimits, checkFreeSpace, checkLimits, treeBytes, usualLimits } from './checkout-limits.ts';
import { CheckoutPool } from './checkout-pool.ts';
import type { DriverName } from './driver.ts';
import {
  checkoutsIn,
  type FleetDirectory,
  makeFleetDirectory,
  noteAgents,
  notedAgents,
  placesOf,
  releaseFleetDirectory,
  takeOverFleetDirectories,
} from './fleet-directory.ts';
import { HeadsUpDesk, type HeadsUpPolicy } from './heads-up-desk.ts';
import type { PermissionPolicy } from './permissions.ts';
import { setUp } from './setup.ts';

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
  /** Whether a checkout shows only the paths of its intent, where it has any, and the files of the root; not unless set. */
  readonly sparse?: boolean;
  /** Checkouts that wait ready beside those in use; unless set, `usualSpare`, or none where each would have to be set up. */
  readonly spare?: number | undefined;
  readonly limits?: CheckoutLimits;
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

/** Checkouts that wait ready unless another number is set. */
const usualSpare = 2;

interface Fleet {
  readonly settings: FleetSettings;
  readonly facts: ColonyResponse;
  /** Aborts when the fleet is to end at once. */
  readonly stop: AbortSignal;
  readonly drained: AbortController;
  readonly checkouts: CheckoutPool;
}

/**
 * Runs the fleet until the backlog is empty or `signal` aborts. Rejects with RepositoryElsewhereError or CheckoutLimitError before
 * anything is done, and with a ClientError when the daemon is lost on the way.
 */
export async function runFleet(settings: FleetSettings): Promise<void> {
  const { client, colony, directory } = settings;
  const facts = await client.call('readColony', { parts: { colony } });
  if (!existsSync(join(facts.repository, 'objects'))) throw new RepositoryElsewhereError(facts.repository);
  const bytes = await treeBytes(facts.repository, facts.trunk.commit);
  mkdirSync(directory, { recursive: true });
  // Sparse checkouts take what their intents name, which nobody knows before.
  const expectedBytes = settings.sparse === true ? 0 : bytes;
  const problem =
    checkLimits(settings.agents, expectedBytes, settings.limits ?? usualLimits) ??
    checkFreeSpace(directory, settings.agents * expectedBytes);
  if (problem !== null) throw problem;
  const left = await inherit(settings, facts);
  const own = left?.folder ?? makeFleetDirectory(directory);
  const spare = settings.spare ?? (facts.policy.setup === null ? usualSpare : 0);
  const checkouts = poolOf({ settings, facts, own, expectedBytes, spare });
  for (const checkout of left?.checkouts ?? []) checkouts.adopt(checkout);
  const failing = new AbortController();
  const stop = AbortSignal.any([settings.signal, failing.signal]);
  const fleet: Fleet = { settings, facts, stop, drained: new AbortController(), checkouts };
  checkouts.warm(Math.min(settings.agents, facts.takeable) + spare);
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
  // What a setup command installed is worth keeping for the next fleet; bare files are not.
  await checkouts.close(facts.policy.setup !== null);
  try {
    await stopAgents(client, colony, agents); // (FL1)
    releaseFleetDirectory(own);
  } catch (error) {
    fail(error);
  }
  if (problems.length > 0) throw problems[0];
}

async function runOne(fleet: Fleet, name: string, token: string): Promise<void> {
  const { settings, facts, stop, drained, checkouts } = fleet;
  const { client, colony, directory } = settings;
  const headsUps = new HeadsUpDesk({ url: client.url, token, colony, policy: settings.headsUp ?? 'finish' });
  const loop = new AgentLoop({
    client: new Client({ url: client.url, token }),
    colony,
    name,
    checkouts,
    sparse: settings.sparse ?? false,
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
}

/** What runs the agents, as others see it: the program for those that are agents themselves. */
function kindOf({ driver = 'command', command }: FleetSettings): string {
  return driver === 'command' ? 'command' : basename(command[0] ?? driver);
}

/** The checkouts of a fleet, none of them made yet. */
function poolOf(parts: {
  readonly settings: FleetSettings;
  readonly facts: ColonyResponse;
  readonly own: FleetDirectory;
  readonly expectedBytes: number;
  readonly spare: number;
}): CheckoutPool {
  const { settings, facts, own, expectedBytes, spare } = parts;
  const { directory, onEvent, signal } = settings;
  const taken = new Set(checkoutsIn(own));
  return new CheckoutPool({
    directory: own.path,
    make: (number) => {
      let name = String(number);
      while (taken.has(name)) name = `${name}-${number}`;
      taken.add(name);
      return checkoutOf({ settings, facts }, own, name);
    },
    workers: settings.agents,
    spare,
    parallel: Math.max(1, availableParallelism()),
    limits: settings.limits ?? usualLimits,
    expectedBytes,
    commit: facts.trunk.commit,
    setUp: ({ tree }) => setUp(tree, facts.policy.setup, join(directory, 'cache'), signal),
    onCapture: ({ id }, reason) => onEvent({ kind: 'captured', capture: id, reason }),
    onSetAside: (place, why) => onEvent({ kind: 'set-aside', directory: place, why }),
  });
}

function checkoutOf(fleet: Pick<Fleet, 'settings' | 'facts'>, folder: FleetDirectory, name: string): Checkout {
  const captured = join(fleet.settings.directory, 'captured.git');
  return new Checkout({ ...placesOf(folder, name), repository: fleet.facts.repository, captured });
}

/**
 * Puts in order what fleets left whose process ended: their agents are stopped (FL1), their changes captured (CK1). Answers one of
 * their folders to go on in with the checkouts that may be used again, or null.
 */
async function inherit(
  settings: FleetSettings,
  facts: ColonyResponse,
): Promise<{ readonly folder: FleetDirectory; readonly checkouts: readonly Checkout[] } | null> {
  const left = takeOverFleetDirectories(settings.directory);
  const [first] = left;
  const kept: Checkout[] = [];
  for (const folder of left) {
    const noted = notedAgents(folder);
    // Ids of a colony that was removed may be those of others in one that was made under its name.
    if (noted !== null && noted.colonyCreatedAt === facts.createdAt)
      await stopAgents(settings.client, settings.colony, noted.agents);
    for (const name of checkoutsIn(folder)) {
      const checkout = checkoutOf({ settings, facts }, folder, name);
      if (!(await keepWork(checkout, settings.onEvent))) continue;
      if (facts.policy.setup === null || folder !== first) checkout.remove();
      else kept.push(checkout);
    }
    if (folder !== first) releaseFleetDirectory(folder);
  }
  return first === undefined ? null : { folder: first, checkouts: kept };
}

/** Captures what a runner that was killed left in a checkout; answers whether the files may go (CK1). */
async function keepWork(checkout: Checkout, onEvent: (event: AgentEvent) => void): Promise<boolean> {
  const { directory } = checkout.place;
  try {
    await checkout.takeOver();
    const reason = checkout.work ?? 'checkout';
    const capture = await checkout.secure(reason);
    if (capture !== null) onEvent({ kind: 'captured', capture: capture.id, reason });
    return true;
  } catch (error) {
    onEvent({ kind: 'set-aside', directory, why: error instanceof Error ? error.message : String(error) });
    return false;
  }
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
