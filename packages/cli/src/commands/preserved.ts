// `firetrident preserved`: work that did not land and is kept: listed, looked at, and put back into files.

import { resolve } from 'node:path';
import { capturedRepository, listCaptured, runGit } from '@firetrident/agents';
import { printable } from '@firetrident/base';
import type { Client } from '@firetrident/client';
import { Command, InvalidArgumentError } from 'commander';
import { chooseColony, connect, dataDirectory } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import { restorePreserved } from '../preserved-work.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

/** A piece of preserved work: of the colony, or captured from a checkout on this machine. */
interface Row {
  readonly id: string;
  readonly at: string;
  readonly commit: string;
  readonly intent: string;
  readonly why: string;
  /** The repository that holds the commit. */
  readonly repository: string;
}

interface RestoreOptions extends ColonyOptions {
  readonly into?: string;
}

/** The command `preserved` with what it can do. */
export function preservedCommand(settings: CommandSettings): Command {
  const list = colonyCommand('list', 'list work that did not land and is kept, newest first').action(
    (options: ColonyOptions) => listPreserved(settings, options),
  );
  const show = colonyCommand('show', 'show what a piece of preserved work changed')
    .argument('<id>', 'which one', readPreserved)
    .action((id: string, options: ColonyOptions) => showPreserved(settings, id, options));
  const restore = colonyCommand('restore', 'put preserved work into the files of a checkout, without committing it')
    .argument('<id>', 'which one', readPreserved)
    .option('--into <directory>', 'a clean checkout of the repository (default: the current one)')
    .action((id: string, options: RestoreOptions) => putBack(settings, id, options));
  return new Command('preserved')
    .description('work that did not land and is kept')
    .addCommand(list, { isDefault: true })
    .addCommand(show)
    .addCommand(restore);
}

/** Reads the id of a piece of preserved work, of either kind. */
function readPreserved(text: string): string {
  if (/^(prs_[0-9A-Za-z]{1,60}|cap_[0-9a-f]{12})$/.test(text)) return text;
  throw new InvalidArgumentError('It must be an id that begins with prs_ or cap_.');
}

/** Everything that is preserved, newest first. */
async function rowsOf(settings: CommandSettings, client: Client, options: ColonyOptions): Promise<Row[]> {
  const colony = await chooseColony(client, options.colony);
  const { preserved } = await client.call('listPreserved', { parts: { colony } });
  const { repository } = await client.call('readColony', { parts: { colony } });
  const captured = capturedRepository(dataDirectory(settings.configuration, options), colony);
  const rows: Row[] = preserved.map((row) => ({ ...row, repository }));
  for (const { reason: intent, ...row } of await listCaptured(captured))
    rows.push({ ...row, intent, why: 'lay in a checkout and was not proposed', repository: captured });
  return rows.sort((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0));
}

async function listPreserved(settings: CommandSettings, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const rows = await rowsOf(settings, client, options);
  if (options.json === true) {
    settings.output.write(`${JSON.stringify({ preserved: rows })}\n`);
    return;
  }
  const cells = rows.map(({ id, at, commit, intent, why }) => [id, at, commit.slice(0, 12), intent, why]);
  settings.output.write(table(['id', 'at', 'commit', 'intent', 'why'], cells));
  if (rows.length > 0) settings.output.write('look at one: firetrident preserved show <id>\n');
}

async function showPreserved(settings: CommandSettings, id: string, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const row = await find(settings, client, id, options);
  const diff = await runGit(row.repository, [
    'show',
    '--format=',
    '--patch',
    '--first-parent',
    '-m',
    '--no-color',
    row.commit,
  ]);
  const patch = diff.toString('utf8');
  if (options.json === true) settings.output.write(`${JSON.stringify({ ...row, patch })}\n`);
  else settings.output.write(`${row.id}  ${row.intent}  ${row.at}\n${printable(row.why)}\n\n${printable(patch)}`);
}

async function putBack(settings: CommandSettings, id: string, options: RestoreOptions): Promise<void> {
  const { configuration, output } = settings;
  const client = connect(configuration, options);
  const row = await find(settings, client, id, options);
  const directory = resolve(configuration.directory, options.into ?? configuration.repository ?? '.');
  const restored = await restorePreserved({ directory, repository: row.repository, commit: row.commit });
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

async function find(settings: CommandSettings, client: Client, id: string, options: ColonyOptions): Promise<Row> {
  const row = (await rowsOf(settings, client, options)).find((each) => each.id === id);
  if (row !== undefined) return row;
  throw new CommandFailure(`nothing is preserved under ${id}`, 'firetrident preserved list shows what there is');
}
