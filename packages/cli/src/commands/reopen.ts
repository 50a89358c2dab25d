// `firetrident intents reopen`: blocked and abandoned work is offered to agents again.

import { countOf } from '@firetrident/base';
import type { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { allIntents } from '../intent-pages.ts';
import { type ColonyOptions, colonyCommand, readId } from '../options.ts';
import type { CommandSettings } from '../program.ts';

type IntentName = `int_${string}`;

interface ReopenOptions extends ColonyOptions {
  readonly blocked?: boolean;
}

/** The command `intents reopen`. */
export function reopenCommand(settings: CommandSettings): Command {
  const readName = readId('int');
  return colonyCommand('reopen', 'offer blocked or abandoned intents to agents again, with no failure counted')
    .argument('[intent...]', 'which ones', (text: string, before: readonly IntentName[] | undefined) => [
      ...(before ?? []),
      readName(text),
    ])
    .option('--blocked', 'all that are blocked')
    .action((names: readonly IntentName[] | undefined, options: ReopenOptions) =>
      reopen(settings, names ?? [], options),
    );
}

async function reopen(settings: CommandSettings, names: readonly IntentName[], options: ReopenOptions): Promise<void> {
  if ((names.length === 0) === (options.blocked !== true)) {
    throw new CommandFailure('which intents are meant is not clear', 'name them, or give --blocked', exitCodes.usage);
  }
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const chosen =
    options.blocked === true ? (await allIntents(client, colony, 'blocked')).map(({ id }) => id as IntentName) : names;
  const intents: { readonly id: string; readonly state: string }[] = [];
  for (const intent of chosen) {
    const page = await client.call('editIntent', { parts: { colony, intent }, body: { state: 'open' } });
    intents.push({ id: page.id, state: page.state });
  }
  if (options.json === true) settings.output.write(`${JSON.stringify({ intents })}\n`);
  else settings.output.write(`${countOf(intents.length, 'intent')} open again\n`);
}
