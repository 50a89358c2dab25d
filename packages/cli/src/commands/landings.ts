// `firetrident landings`: what landed, newest first.

import { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

interface LandingsOptions {
  readonly colony?: string;
  readonly data?: string;
  readonly limit: string;
  readonly after?: string;
  readonly json?: boolean;
}

export function landingsCommand(settings: CommandSettings): Command {
  return new Command('landings')
    .description('list what landed, newest first')
    .option('--colony <id>', 'the colony (default: the only one)')
    .option('--data <directory>', 'data directory of the daemon')
    .option('--limit <number>', 'how many', '20')
    .option('--after <landing>', 'continue after this landing')
    .option('--json', 'print JSON')
    .action((options: LandingsOptions) => landings(settings, options));
}

async function landings(settings: CommandSettings, options: LandingsOptions): Promise<void> {
  const client = connect(settings.configuration, options.data);
  const colony = await chooseColony(client, options.colony);
  const after = options.after === undefined ? {} : { after: options.after as `lnd_${string}` };
  const page = await client.call('listLandings', { parts: { colony }, query: { limit: Number(options.limit), ...after } });
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(page)}\n`);
    return;
  }
  const rows = page.landings.map((row) => [row.at, row.commit.slice(0, 12), row.landing, row.agentName, row.title]);
  settings.output.write(table(['at', 'commit', 'landing', 'agent', 'title'], rows));
  if (page.next !== undefined) settings.output.write(`more: firetrident landings --after ${page.next}\n`);
}
