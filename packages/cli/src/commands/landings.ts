// `firetrident landings`: what landed, newest first.

import type { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, colonyCommand, numberOption, readId } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

interface LandingsOptions extends ColonyOptions {
  readonly limit: number;
  readonly after?: `lnd_${string}`;
}

/** The command `landings`. */
export function landingsCommand(settings: CommandSettings): Command {
  return colonyCommand('landings', 'list what landed, newest first')
    .addOption(numberOption('--limit <number>', 'how many', 1, 1_000).default(20))
    .option('--after <landing>', 'continue after this landing', readId('lnd'))
    .action((options: LandingsOptions) => landings(settings, options));
}

async function landings(settings: CommandSettings, options: LandingsOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const { limit, after } = options;
  const query = { limit, ...(after === undefined ? {} : { after }) };
  const page = await client.call('listLandings', { parts: { colony }, query });
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(page)}\n`);
    return;
  }
  const rows = page.landings.map((row) => [row.at, row.commit.slice(0, 12), row.landing, row.agentName, row.title]);
  settings.output.write(table(['at', 'commit', 'landing', 'agent', 'title'], rows));
  if (page.next !== undefined) settings.output.write(`more: firetrident landings --after ${page.next}\n`);
}
