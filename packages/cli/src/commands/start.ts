// `firetrident start`: the main job. A colony on a real repository, agents that change every folder of it, and a proof
// that the result is the one that working one at a time would have had.

import { join, relative, resolve } from 'node:path';
import { Checkout, capturedRepository } from '@firetrident/agents';
import { countOf } from '@firetrident/base';
import { Client } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import { Command } from 'commander';
import { createDrafts } from '../backlog.ts';
import { exitCodes } from '../exit-codes.ts';
import { type FleetResult, runWithProgress } from '../fleet-run.ts';
import { numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { coloursFor, durationText } from '../render.ts';
import { fsck } from '../repository-checks.ts';
import { aborted, interruption, type ServingDaemon, serve } from '../serving.ts';
import { changeCommand, changeSerially, planChange } from '../start/change.ts';
import { freshRun } from '../start/place.ts';
import { checkoutRoot, chooseSource } from '../start/source.ts';
import { judge, type Verdict, type WhyExample } from '../start/verdicts.ts';
import { colonyName, createColony } from './init.ts';

interface StartOptions {
  readonly repo?: string;
  readonly once?: boolean;
  readonly agents: number;
  readonly data?: string;
  readonly json?: boolean;
}

/** The command `start`. */
export function startCommand(settings: CommandSettings): Command {
  return new Command('start')
    .description('show a colony at work on a real repository, and prove the result')
    .option('--repo <path or url>', 'repository to work on; it is not touched (default: the history of this checkout)')
    .option('--once', 'stop when it is done, instead of serving on')
    .addOption(numberOption('--agents <number>', 'how many work at once', 1, 1_000).default(12))
    .option('--data <directory>', 'an empty or new data directory (default: a fresh one below .firetrident/start)')
    .option('--json', 'print the summary as JSON')
    .action((options: StartOptions) => start(settings, options));
}

/** What the job came to. */
interface StartResult {
  readonly facts: ColonyResponse;
  readonly intents: number;
  readonly agents: number;
  readonly result: FleetResult;
  readonly serialMs: number;
  readonly verdicts: readonly Verdict[];
  readonly example: WhyExample | null;
}

/** Returns of one intent until an agent gives up: neighbours in the shared file can meet again and again. */
const maxRepairs = 50;
const commandTimeoutMs = 600_000;

async function start(settings: CommandSettings, options: StartOptions): Promise<void> {
  const { configuration, errors } = settings;
  const stopping = interruption();
  const data =
    options.data === undefined
      ? await freshRun(join(checkoutRoot, '.firetrident/start'))
      : resolve(configuration.directory, options.data);
  const source = await chooseSource(options.repo, configuration.directory, data);
  errors.write(`Repository: ${source.description}\n`);
  const serving = await serve({ data, port: 0, logLevel: 'warn' });
  try {
    const done = await workUnlessStopped(settings, options, {
      serving,
      data,
      source: source.source,
      branch: source.branch,
      signal: stopping.signal,
    });
    if (done === null) return settings.end(exitCodes.interrupted);
    const failed = done.verdicts.some((verdict) => !verdict.ok);
    const summary =
      options.json === true
        ? `${JSON.stringify(resultBody(done, serving, data))}\n`
        : resultText(settings, done, data, options.once === true);
    settings.output.write(summary);
    if (failed) settings.end(exitCodes.failure);
    if (options.once === true) return;
    errors.write(servingText(settings, serving, data));
    await aborted(stopping.signal);
  } finally {
    await serving.stop();
    stopping.forget();
  }
}

interface Job {
  readonly serving: ServingDaemon;
  readonly data: string;
  readonly source: string;
  readonly branch: string | null;
  readonly signal: AbortSignal;
}

/** As `work`; a program that ends because everything is being stopped has not failed. */
async function workUnlessStopped(
  settings: CommandSettings,
  options: StartOptions,
  job: Job,
): Promise<StartResult | null> {
  try {
    return await work(settings, options, job);
  } catch (error) {
    if (job.signal.aborted) return null;
    throw error;
  }
}

/** The job itself; null when it was interrupted. */
async function work(settings: CommandSettings, options: StartOptions, job: Job): Promise<StartResult | null> {
  const { errors } = settings;
  const { serving, data, signal } = job;
  const client = new Client({ url: serving.daemon.url, token: serving.daemon.adminToken });
  const id = colonyName(job.source);
  errors.write('Importing it into a colony of its own, and planning a small change for each of its files\n');
  const created = await createColony(client, {
    id,
    source: job.source,
    ...(job.branch === null ? {} : { branch: job.branch }),
  });
  const { repository } = created;
  const checkout = new Checkout({
    directory: join(data, 'serial'),
    repository,
    captured: capturedRepository(data, id),
  });
  checkout.prepare();
  await checkout.moveTo(created.trunk.commit, 'serial');
  const drafts = await planChange(checkout, signal);
  await createDrafts(client, id, drafts, 'the plan');
  const flawsBefore = (await fsck(repository, true)).said;
  const { agents } = options;
  errors.write(`${countOf(drafts.length, 'intent')} for ${countOf(agents, 'agent')}\n`);
  const run = {
    client,
    colony: id,
    agents,
    command: changeCommand,
    labels: [],
    data,
    timeoutMs: commandTimeoutMs,
    maxRepairs,
    signal,
  };
  const result = await runWithProgress(settings, run);
  if (signal.aborted) return null;
  errors.write('Now the same change one at a time, with stock git, to compare\n');
  const serial = await changeSerially(checkout, drafts, signal);
  const facts = await client.call('readColony', { parts: { colony: id } });
  errors.write('Comparing both, and checking the repository with stock git\n');
  const judged = await judge({ client, facts, intents: drafts.length, flawsBefore, serialTree: serial.tree });
  checkout.remove();
  return { facts, intents: drafts.length, agents, result, serialMs: serial.wallMs, ...judged };
}

function resultBody(done: StartResult, serving: ServingDaemon, data: string) {
  const { facts, result, verdicts, example, ...figures } = done;
  const { id: colony, repository, trunk, cycle } = facts;
  return {
    url: serving.daemon.url,
    data,
    colony,
    repository,
    trunk,
    cycle,
    ...figures,
    ...result,
    verdicts,
    why: example?.place ?? null,
  };
}

function resultText(settings: CommandSettings, done: StartResult, data: string, once: boolean): string {
  const { green, red, bold } = coloursFor(settings.configuration.colour);
  const { facts, result, intents, agents, serialMs, verdicts, example } = done;
  const { timeToLandMs } = result;
  const marks = verdicts.map(
    ({ what, ok, details }) => `  ${ok ? green('ok    ') : red('FAILED')}  ${what}: ${details}`,
  );
  const lines = [
    bold(
      `${countOf(intents, 'intent')}, ${countOf(agents, 'agent')}, trunk ${facts.trunk.branch} at ${facts.trunk.commit.slice(0, 12)}`,
    ),
    `  landed        ${result.landed}, and ${result.unchanged} needed no change`,
    `  merged        ${result.merged} with what others had landed meanwhile`,
    `  returned      ${countOf(result.returns, 'time')}; ${countOf(result.repaired, 'intent')} repaired and landed`,
    `  time to land  p50 ${durationText(timeToLandMs.p50)}, p99 ${durationText(timeToLandMs.p99)}, repairs included`,
    `  wall time     ${durationText(result.wallMs)}; one at a time ${durationText(serialMs)}`,
    'Checked',
    ...marks,
    `Repository  ${facts.repository}`,
    `Look        git --git-dir ${facts.repository} log --notes=firetrident ${facts.trunk.branch}`,
  ];
  const place = shortPath(settings, data);
  if (once) lines.push(`Serve it    npx firetrident up --data ${place}`);
  if (example !== null) lines.push(`Ask why     npx firetrident why ${example.place} --data ${place}`);
  return `${lines.join('\n')}\n`;
}

function servingText(settings: CommandSettings, serving: ServingDaemon, data: string): string {
  const place = shortPath(settings, data);
  return (
    `FireTrident serves on at ${serving.daemon.url} until Ctrl-C. In another terminal:\n` +
    `  npx firetrident status --data ${place}\n  npx firetrident landings --data ${place}\n  npx firetrident watch --data ${place}\n`
  );
}

/** A path as it is shortest from where the person is. */
function shortPath(settings: CommandSettings, path: string): string {
  const shown = relative(settings.configuration.directory, path);
  return shown === '' || shown.startsWith('..') ? path : shown;
}
