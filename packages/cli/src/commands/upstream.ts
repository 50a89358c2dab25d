// `firetrident upstream`: the repository elsewhere that a colony is kept in step with: shown, named, paused, asked again.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { countOf, printable } from '@firetrident/base';
import type { Client } from '@firetrident/client';
import type { ResponseOf } from '@firetrident/protocol';
import { Command, Option } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { type ColonyOptions, colonyCommand, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface SetOptions extends ColonyOptions {
  readonly mode?: 'mirror' | 'upstream';
  readonly branch?: string;
  readonly pushesPerMinute?: number;
}

type Answer = ResponseOf<'readUpstream'>;
type Known = NonNullable<Answer['upstream']>;
type Ask = (client: Client, colony: string) => Promise<Answer>;

/** The command `upstream` with what it can do. */
export function upstreamCommand(settings: CommandSettings): Command {
  const simple = (name: string, description: string, ask: Ask) =>
    colonyCommand(name, description).action((options: ColonyOptions) => show(settings, options, ask));
  const set = colonyCommand('set', 'name the upstream; what stands there now is accepted as it is')
    .argument('<address>', 'address or path that git can fetch from and push to')
    .addOption(
      new Option('--mode <mode>', 'push after landing, or land only what the upstream took (default: mirror)').choices([
        'mirror',
        'upstream',
      ]),
    )
    .option('--branch <name>', 'the branch there (default: the name of trunk)')
    .addOption(numberOption('--pushes-per-minute <number>', 'the most there may be (default: 6)', 1, 600))
    .action((address: string, options: SetOptions) => show(settings, options, setting(settings, address, options)));
  return new Command('upstream')
    .description('the repository elsewhere that the colony is kept in step with')
    .addCommand(
      simple('show', 'show how the two stand', (client, colony) => client.call('readUpstream', { parts: { colony } })),
      {
        isDefault: true,
      },
    )
    .addCommand(set)
    .addCommand(simple('pause', 'fetch and push nothing until "resume"', pausing(true)))
    .addCommand(simple('resume', 'go on', pausing(false)))
    .addCommand(
      simple('retry', 'look and push now, whatever the back-off', (client, colony) =>
        client.call('retryUpstream', { parts: { colony } }),
      ),
    )
    .addCommand(
      simple('remove', 'keep in step with nothing any more; nothing changes there or here', (client, colony) =>
        client.call('clearUpstream', { parts: { colony } }),
      ),
    );
}

function pausing(paused: boolean): Ask {
  return (client, colony) => client.call('changeUpstream', { parts: { colony }, body: { paused } });
}

function setting({ configuration }: CommandSettings, address: string, options: SetOptions): Ask {
  const { mode, branch, pushesPerMinute } = options;
  const place = resolve(configuration.directory, address);
  // The daemon may have another working directory.
  const url = !address.includes('://') && existsSync(place) ? place : address;
  const body = {
    url,
    ...(mode === undefined ? {} : { mode }),
    ...(branch === undefined ? {} : { branch }),
    ...(pushesPerMinute === undefined ? {} : { pushesPerMinute }),
  };
  return (client, colony) => client.call('setUpstream', { parts: { colony }, body });
}

/** Asks, and shows what came of it; what keeps the two apart, and no upstream at all, have exit codes of their own. */
async function show({ configuration, output, end }: CommandSettings, options: ColonyOptions, ask: Ask): Promise<void> {
  const client = connect(configuration, options);
  const answer = await ask(client, await chooseColony(client, options.colony));
  const { upstream } = answer;
  if (options.json === true) output.write(`${JSON.stringify(answer)}\n`);
  else output.write(upstream === null ? 'There is no upstream.\n' : upstreamText(upstream));
  if (upstream === null) end(exitCodes.nothing);
  else if (upstream.problem !== null) end(exitCodes.failure);
}

/** An upstream for a person, in aligned lines. */
export function upstreamText(upstream: Known): string {
  const { url, branch, mode, pushesPerMinute, state, problem, commit, lookedAt, pushedAt, retryAt, failures } =
    upstream;
  const rows: (readonly [string, string | null])[] = [
    ['upstream', `${printable(url)} (${printable(branch)})`],
    ['mode', `${mode}, at most ${pushesPerMinute} pushes a minute`],
    ['state', state],
    ['problem', problem === null ? null : printable(problem)],
    ['commit', commit],
    ['last look', lookedAt],
    ['last push', pushedAt],
    ['next try', retryAt === null ? null : `${retryAt}, after ${countOf(failures, 'failure')}`],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(11)}${value}\n`])).join('');
}
