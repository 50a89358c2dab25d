// `firetrident policy`: the rules of a colony that an administrator sets: shown, and changed field by field.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PolicyRequest } from '@firetrident/protocol';
import { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';

/** File descriptor of standard input. */
const standardInput = 0;

/** The command `policy` with what it can do. */
export function policyCommand(settings: CommandSettings): Command {
  const show = colonyCommand('show', 'print the policy as JSON, every field resolved').action(
    (options: ColonyOptions) => showPolicy(settings, options),
  );
  const set = colonyCommand('set', 'change the fields that a JSON object names, all of them or none')
    .argument('<file>', 'the file with the object, or - for standard input')
    .addHelpText(
      'after',
      '\nFields and their meaning: docs/configuration.md. For instance, on standard input:\n  {"merge": {"package-lock.json": "regenerate:npm install --package-lock-only"}, "strict": ["migrations/**"]}',
    )
    .action((file: string, options: ColonyOptions) => setPolicy(settings, file, options));
  return new Command('policy')
    .description('the rules of a colony')
    .addCommand(show, { isDefault: true })
    .addCommand(set);
}

async function showPolicy(settings: CommandSettings, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const { policy } = await client.call('readColony', { parts: { colony } });
  settings.output.write(policyText(policy, options));
}

async function setPolicy(settings: CommandSettings, file: string, options: ColonyOptions): Promise<void> {
  const body = readObject(file, settings.configuration.directory);
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  // The daemon judges the fields, all before any of them counts.
  const { policy } = await client.call('setPolicy', { parts: { colony }, body: body as PolicyRequest });
  settings.output.write(policyText(policy, options));
}

function policyText(policy: object, options: ColonyOptions): string {
  return `${JSON.stringify(policy, null, options.json === true ? 0 : 2)}\n`;
}

/** The JSON object in the file. */
function readObject(file: string, directory: string): object {
  const name = file === '-' ? 'standard input' : file;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file === '-' ? standardInput : resolve(directory, file), 'utf8'));
  } catch (error) {
    throw new CommandFailure(`${name} is not readable as JSON: ${(error as Error).message}`, 'nothing was changed');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CommandFailure(`${name} holds no JSON object`, 'nothing was changed; give {"field": value, ...}');
}
