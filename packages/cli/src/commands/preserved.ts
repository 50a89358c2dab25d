// `firetrident preserved`: work that did not land and is kept.

import type { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

/** The command `preserved`. */
export function preservedCommand(settings: CommandSettings): Command {
  return colonyCommand('preserved', 'list work that did not land and is kept').action((options: ColonyOptions) =>
    preserved(settings, options),
  );
}

async function preserved(settings: CommandSettings, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const page = await client.call('listPreserved', { parts: { colony } });
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(page)}\n`);
    return;
  }
  const rows = page.preserved.map((row) => [row.at, row.commit.slice(0, 12), row.ref, row.intent, row.why]);
  settings.output.write(table(['at', 'commit', 'ref', 'intent', 'why'], rows));
  if (rows.length > 0) {
    const { repository } = await client.call('readColony', { parts: { colony } });
    settings.output.write(`look at one: git --git-dir ${repository} show <commit>\n`);
  }
}
