// `firetrident take`: one intent for a person or a script, in a checkout to work in.
//
// The checkout shares the colony's objects and remembers its work, so that `firetrident propose` inside it is all that
// is left to do.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  borrowedRepository,
  Checkout,
  type CheckoutPlace,
  capturedRepository,
  ReadList,
  RepositoryElsewhereError,
  setUp,
} from '@firetrident/agents';
import { oneLine, printable } from '@firetrident/base';
import { Client } from '@firetrident/client';
import type { ColonyResponse, TakeGrantedResponse } from '@firetrident/protocol';
import type { Command } from 'commander';
import { chooseColony, connect, dataDirectory } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { type ColonyOptions, colonyCommand, durationOption, type Milliseconds, readId } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { readWork, writeWork } from '../work-state.ts';

interface TakeOptions extends ColonyOptions {
  readonly intent?: `int_${string}`;
  readonly wait?: Milliseconds;
  readonly checkout?: string;
  readonly name?: string;
  readonly label?: readonly string[];
}

/** The longest that one call waits for work. */
const callWaitMs = 30_000;

/** The command `take`. */
export function takeCommand(settings: CommandSettings): Command {
  return colonyCommand('take', 'take an intent and make a checkout to work in')
    .option('--intent <id>', 'exactly this one', readId('int'))
    .addOption(
      durationOption('--wait <duration>', 'how long to wait for work, such as 90s or 10m (default: not at all)'),
    )
    .option('--checkout <directory>', 'where to work (default: a folder of its own in the data directory)')
    .option('--name <name>', 'who takes it (default: USER)')
    .option('--label <name...>', 'only intents with one of these labels')
    .action((options: TakeOptions) => take(settings, options));
}

async function take(settings: CommandSettings, options: TakeOptions): Promise<void> {
  const { configuration, output, end } = settings;
  const client = connect(configuration, options);
  const colony = await chooseColony(client, options.colony);
  const facts = await client.call('readColony', { parts: { colony } });
  if (!existsSync(join(facts.repository, 'objects'))) throw new RepositoryElsewhereError(facts.repository);
  const named = options.checkout === undefined ? null : resolve(configuration.directory, options.checkout);
  if (named !== null) refuseUnusable(named, facts.repository);
  const body = {
    name: options.name ?? configuration.user,
    kind: 'person',
    workspace: 'checkout' as const,
    labels: [...(options.label ?? [])],
  };
  const { agentId: agent, token } = await client.call('registerAgent', { parts: { colony }, body });
  const worker = new Client({ url: client.url, token });
  try {
    const taken = await takeOne(worker, colony, options);
    if (!('intent' in taken)) {
      await worker.call('stopAgent', { parts: { colony, agent }, body: {} });
      if (options.json === true) output.write(`${JSON.stringify(taken)}\n`);
      else output.write(`Nothing to take: ${taken.wait.reason}\n`);
      end(exitCodes.nothing);
      return;
    }
    const data = dataDirectory(configuration, options);
    const directory = named ?? join(data, 'work', colony, taken.intent.id);
    const place = { directory, repository: facts.repository, captured: capturedRepository(data, colony) };
    const captured = await makeCheckout(facts, place, join(data, 'work', colony, 'cache'), taken);
    writeWork(directory, {
      url: client.url,
      data,
      colony,
      repository: facts.repository,
      agent,
      token,
      lease: taken.lease.id,
      epoch: taken.lease.epoch,
      intent: { id: taken.intent.id, title: taken.intent.title },
      base: taken.base.commit,
      proposals: 0,
      pending: null,
      returned: null,
      conflicts: [],
    });
    const answer = { ...taken, agent, checkout: directory, ...(captured === null ? {} : { captured }) };
    output.write(options.json === true ? `${JSON.stringify(answer)}\n` : takenText(taken, directory, captured));
  } catch (error) {
    // The lease ends with its agent; what went wrong is told, not that this failed too.
    await worker.call('stopAgent', { parts: { colony, agent }, body: {} }).catch(() => undefined);
    throw error;
  }
}

function refuseUnusable(directory: string, repository: string): void {
  const work = readWork(directory);
  if (work !== null) {
    throw new CommandFailure(
      `${directory} is at work on ${work.intent.id}, "${oneLine(work.intent.title, 80)}"`,
      'propose it there, or name another folder with --checkout',
    );
  }
  if (existsSync(directory) && existsSync(join(directory, '.git')) && borrowedRepository(directory) !== repository) {
    throw new CommandFailure(
      `${directory} is another repository`,
      'name a folder that is not there yet',
      exitCodes.usage,
    );
  }
}

/** Takes under the agent's own token, waiting as long as was asked. */
async function takeOne(worker: Client, colony: string, options: TakeOptions) {
  const until = performance.now() + (options.wait ?? 0);
  for (;;) {
    const leftMs = Math.max(0, Math.min(callWaitMs, Math.ceil(until - performance.now())));
    const body = { waitMs: leftMs, intent: options.intent ?? null, labels: [...(options.label ?? [])] };
    const answer = await worker.call('take', { parts: { colony }, body });
    if ('intent' in answer || leftMs === 0) return answer;
  }
}

/** Makes the checkout at the intent's base and prepares it; answers the id under which what lay there is kept, or null. */
async function makeCheckout(
  facts: ColonyResponse,
  place: CheckoutPlace,
  cache: string,
  taken: TakeGrantedResponse,
): Promise<string | null> {
  const checkout = new Checkout(place);
  checkout.prepare();
  // What was read here before belongs to other work.
  new ReadList(checkout.tree).begin();
  const captured = await checkout.moveTo(taken.base.commit, taken.intent.id);
  const prepared = await setUp(checkout.tree, facts.policy.setup, cache, new AbortController().signal);
  if (prepared !== null && prepared.code !== 0) {
    throw new CommandFailure(
      `the colony's setup command failed: ${prepared.output.trim().slice(-1_000)}`,
      'correct the policy of the colony, or the machine',
    );
  }
  return captured === null ? null : captured.id;
}

function takenText(taken: TakeGrantedResponse, directory: string, captured: string | null): string {
  const { intent, lease } = taken;
  const lines = [`${intent.id}  ${oneLine(intent.title, 200)}`];
  if (intent.body !== '') lines.push('', printable(intent.body), '');
  if (intent.paths.length > 0) lines.push(`Probably in: ${intent.paths.map((path) => oneLine(path, 200)).join(', ')}`);
  if (captured !== null) lines.push(`What lay there is kept: firetrident preserved show ${captured}`);
  lines.push(
    `The lease runs until ${lease.expiresAt}; "firetrident status" there extends it.`,
    `Work in:      ${directory}`,
    'Then, there:  firetrident propose',
  );
  return `${lines.join('\n')}\n`;
}
