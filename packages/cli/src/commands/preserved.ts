// `firetrident preserved`: work that did not land and is kept: listed, looked at, and put back into files.

import { resolve } from 'node:path';
import { runGit } from '@firetrident/agents';
import { printable } from '@firetrident/base';
import type { Client } from '@firetrident/client';
import type { PreservedListResponse } from '@firetrident/protocol';
import { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import { type ColonyOptions, colonyCommand, readId } from '../options.ts';
import { restorePreserved } from '../preserved-work.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

type Row = PreservedListResponse['preserved'][number];

interface RestoreOptions extends ColonyOptions {
  readonly into?: string;
}

/** The command `preserved` with what it can do. */
export function preservedCommand(settings: CommandSettings): Command {
  const list = colonyCommand('list', 'list work that did not land and is kept, newest first').action(
    (options: ColonyOptions) => listPreserved(settings, options),
  );
  const show = colonyCommand('show', 'show what a piece of preserved work changed')
    .argument('<id>', 'which one', readId('prs'))
    .action((id: string, options: ColonyOptions) => showPreserved(settings, id, options));
  const restore = colonyCommand('restore', 'put preserved work into the files of a checkout, without committing it')
    .argument('<id>', 'which one', readId('prs'))
    .option('--into <directory>', 'a clean checkout of the repository (default: the current one)')
    .action((id: string, options: RestoreOptions) => putBack(settings, id, options));
  return new Command('preserved')
    .description('work that did not land and is kept')
    .addCommand(list, { isDefault: true })
    .addCommand(show)
    .addCommand(restore);
}

async function listPreserved(settings: CommandSettings, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const page = await client.call('listPreserved', { parts: { colony } });
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(page)}\n`);
    return;
  }
  const rows = page.preserved.map(({ id, at, commit, intent, why }) => [id, at, commit.slice(0, 12), intent, why]);
  settings.output.write(table(['id', 'at', 'commit', 'intent', 'why'], rows));
  if (rows.length > 0) settings.output.write('look at one: firetrident preserved show <id>\n');
}

async function showPreserved(settings: CommandSettings, id: string, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const { row, repository } = await find(client, id, options);
  const diff = await runGit(repository, ['show', '--format=', '--patch', '--no-color', row.commit]);
  const patch = diff.toString('utf8');
  if (options.json === true) settings.output.write(`${JSON.stringify({ ...row, patch })}\n`);
  else settings.output.write(`${row.id}  ${row.intent}  ${row.at}\n${printable(row.why)}\n\n${printable(patch)}`);
}

async function putBack(settings: CommandSettings, id: string, options: RestoreOptions): Promise<void> {
  const { configuration, output } = settings;
  const client = connect(configuration, options);
  const { row, repository } = await find(client, id, options);
  const directory = resolve(configuration.directory, options.into ?? configuration.repository ?? '.');
  const restored = await restorePreserved({ directory, repository, commit: row.commit });
  if (options.json === true) {
    output.write(`${JSON.stringify({ ...row, directory, ...restored })}\n`);
    return;
  }
  const { paths, conflicts } = restored;
  output.write(
    `${paths.length} ${paths.length === 1 ? 'file' : 'files'} in ${directory} ${conflicts.length === 0 ? 'have' : 'have, with conflict markers in some,'} what ${id} changed; nothing is committed.\n`,
  );
  for (const path of conflicts) output.write(`to be put together by hand: ${path}\n`);
}

/** A piece of preserved work and the repository that holds its commit. */
async function find(client: Client, id: string, options: ColonyOptions): Promise<{ row: Row; repository: string }> {
  const colony = await chooseColony(client, options.colony);
  const { preserved } = await client.call('listPreserved', { parts: { colony } });
  const row = preserved.find((each) => each.id === id);
  if (row === undefined) {
    throw new CommandFailure(`nothing is preserved under ${id}`, 'firetrident preserved list shows what there is');
  }
  const { repository } = await client.call('readColony', { parts: { colony } });
  return { row, repository };
}
