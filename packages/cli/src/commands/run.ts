// `firetrident run`: a fleet of agents that are a command, until the backlog is empty.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  agentCommand,
  type DriverName,
  driverNames,
  type HeadsUpPolicy,
  type PermissionPolicy,
  permissionPolicies,
  usualLimits,
} from '@firetrident/agents';
import { countOf } from '@firetrident/base';
import type { Client } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import { type Command, Option } from 'commander';
import { chooseColony, dataDirectory } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { type FleetResult, runWithProgress } from '../fleet-run.ts';
import { type ColonyOptions, colonyCommand, durationOption, type Milliseconds, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { durationText } from '../render.ts';
import { interruption, useDaemon } from '../serving.ts';
import { colonyName, createColony, resolveSource } from './init.ts';

interface RunOptions extends ColonyOptions {
  readonly agents: number;
  readonly repo?: string;
  readonly timeout: Milliseconds;
  readonly maxRepairs: number;
  readonly headsUp: HeadsUpPolicy;
  readonly driver: DriverName;
  readonly permissions: PermissionPolicy;
  readonly label?: readonly string[];
  readonly sparse?: boolean;
  readonly spareCheckouts?: number;
  readonly maxCheckouts: number;
  readonly checkoutDisk?: number;
}

/** The command `run`. */
export function runCommand(settings: CommandSettings): Command {
  return colonyCommand('run', 'run agents that are a command until the backlog is empty')
    .argument('<command...>', 'program and arguments; one single text is given to a shell')
    .passThroughOptions()
    .addOption(numberOption('--agents <number>', 'how many work at once', 1, 10_000).default(4))
    .option('--repo <path or url>', 'repository; a colony is made of it unless there is one of its name')
    .addOption(durationOption('--timeout <duration>', 'longest run of the command').default(1_800_000, '30m'))
    .addOption(
      numberOption('--max-repairs <number>', 'repairs of an intent before an agent gives it up', 0, 1_000).default(8),
    )
    .addOption(
      new Option(
        '--heads-up <what>',
        'when what an agent works on changes on trunk: merge it in at once, or finish first',
      )
        .choices(['merge', 'finish'])
        .default('finish'),
    )
    .addOption(
      new Option(
        '--driver <how>',
        'what the command is: any program, an agent that prints JSON lines, or one that speaks ACP',
      )
        .choices(driverNames)
        .default('command'),
    )
    .addOption(
      new Option(
        '--permissions <what>',
        'what an agent that asks first may do: anything, edit files of its checkout, or nothing',
      )
        .choices(permissionPolicies)
        .default('edits'),
    )
    .option('--label <name...>', 'only intents with one of these labels')
    .option('--sparse', "show only the paths of an agent's intent, where it names any, and the files of the root")
    .addOption(
      numberOption(
        '--spare-checkouts <number>',
        'checkouts that wait ready beside those in use (default: 2, or none with a setup command)',
        0,
        1_000,
      ),
    )
    .addOption(
      numberOption('--max-checkouts <number>', 'checkouts at once, those that wait included', 1, 100_000).default(
        usualLimits.checkouts,
      ),
    )
    .addOption(
      numberOption('--checkout-disk <MiB>', 'disk for all checkouts (default: what is free)', 1, 1_073_741_824),
    )
    .addHelpText(
      'after',
      '\nThe command finds its intent in FT_INTENT, FT_INTENT_TITLE, FT_INTENT_BODY and FT_INTENT_PATHS, and title and body\non standard input. It edits files where it runs. After a return it runs again, with the reasons in FT_BRIEF.\nWhat it appends to the file FT_READS, one path a line, counts as read: the agent hears when that changes.\n\nWith --driver jsonl, claude, codex and gemini may be named alone; with --driver acp, opencode too. They are found on the PATH.',
    )
    .action((command: string[], options: RunOptions) => run(settings, command, options));
}

async function run(settings: CommandSettings, command: readonly string[], options: RunOptions): Promise<void> {
  const { configuration, output } = settings;
  const stopping = interruption();
  const daemon = await useDaemon(configuration, options);
  try {
    const { client } = daemon;
    const colony = await colonyFor(settings, client, options);
    const { sparse = false, spareCheckouts: spare, maxCheckouts, checkoutDisk } = options;
    const diskBytes = checkoutDisk === undefined ? null : checkoutDisk * 1_048_576;
    const { agents, timeout: timeoutMs, maxRepairs, headsUp, driver, permissions, label: labels = [] } = options;
    const data = dataDirectory(configuration, options);
    const { signal } = stopping;
    const located = locate(agentCommand(driver, command), configuration.directory);
    const result = await runWithProgress(settings, {
      client,
      colony,
      agents,
      command: located,
      driver,
      permissions,
      labels,
      data,
      timeoutMs,
      maxRepairs,
      headsUp,
      sparse,
      spare,
      limits: { checkouts: maxCheckouts, diskBytes },
      signal,
    });
    const facts = await client.call('readColony', { parts: { colony } });
    const interrupted = signal.aborted;
    if (options.json === true) output.write(`${JSON.stringify(summaryBody(facts, agents, result, interrupted))}\n`);
    else output.write(summaryText(facts, agents, result, interrupted));
    const blocked = facts.intents.blocked ?? 0;
    if (interrupted) settings.end(exitCodes.interrupted);
    else if (result.failed > 0 || blocked > 0) settings.end(exitCodes.failure);
  } finally {
    await daemon.stop();
    stopping.forget();
  }
}

/** The command with a program that was named by a path from here, as shells do it, found from every checkout. */
function locate(command: readonly string[], directory: string): readonly string[] {
  const [program = '', ...args] = command;
  if (!/^\.{1,2}\/\S+$/.test(program)) return command;
  const place = resolve(directory, program);
  return existsSync(place) ? [place, ...args] : command;
}

/** The colony to work on: the one that was named, or of the repository, made when it is not there; else the only one. */
async function colonyFor(settings: CommandSettings, client: Client, options: RunOptions): Promise<string> {
  const { colonies } = await client.call('listColonies');
  if (options.repo === undefined) {
    if (colonies.length === 0 && options.colony === undefined) {
      throw new CommandFailure('there is no colony yet', 'name the repository to make one of with --repo');
    }
    return chooseColony(client, options.colony);
  }
  const source = resolveSource(settings.configuration.directory, options.repo);
  const id = options.colony ?? colonyName(source);
  if (!colonies.some((colony) => colony.id === id)) await createColony(client, { id, source });
  return id;
}

function summaryBody(facts: ColonyResponse, agents: number, result: FleetResult, interrupted: boolean) {
  const { id: colony, trunk, repository, intents } = facts;
  return { colony, agents, ...result, interrupted, intents, trunk, repository };
}

function summaryText(facts: ColonyResponse, agents: number, result: FleetResult, interrupted: boolean): string {
  const { landed, merged, returns, repaired, unchanged, failedAttempts, timeToLandMs, wallMs } = result;
  const blocked = facts.intents.blocked ?? 0;
  const open = facts.intents.open ?? 0;
  const lines = [
    `${interrupted ? 'Interrupted after' : 'Done in'} ${durationText(wallMs)} with ${countOf(agents, 'agent')}.`,
    `Landed ${landed} (${merged} merged, ${repaired} repaired after ${countOf(returns, 'return')}), ${unchanged} needed no change.`,
  ];
  if (landed > 0) {
    lines.push(`Time to land: p50 ${durationText(timeToLandMs.p50)}, p99 ${durationText(timeToLandMs.p99)}.`);
  }
  if (failedAttempts > 0) lines.push(`${countOf(failedAttempts, 'attempt')} failed.`);
  if (result.tokens > 0) {
    const cost = result.costUsd > 0 ? `, $${result.costUsd.toFixed(2)}` : '';
    lines.push(`Agents used ${result.tokens} tokens${cost}.`);
  }
  if (result.captured > 0) {
    lines.push(`${countOf(result.captured, 'checkout')} held work that was not proposed: firetrident preserved list`);
  }
  if (result.setAside > 0) {
    lines.push(`${countOf(result.setAside, 'checkout')} could not be kept in full, and lies where it was.`);
  }
  if (blocked > 0) {
    lines.push(`${countOf(blocked, 'intent')} blocked: firetrident intents list --state blocked`);
    lines.push('Once what blocks them is mended: firetrident intents reopen --blocked');
  }
  if (open > 0) lines.push(`${countOf(open, 'intent')} still open.`);
  lines.push(`Trunk: ${facts.trunk.branch} at ${facts.trunk.commit.slice(0, 12)} in ${facts.repository}`);
  return `${lines.join('\n')}\n`;
}
