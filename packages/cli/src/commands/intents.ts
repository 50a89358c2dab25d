// `firetrident intents`: adding, importing and listing pieces of work.

import { type BacklogFormat, backlogFormats } from '@firetrident/content';
import { Command, Option } from 'commander';
import { type CreatedIntent, createDrafts, readBacklogFile } from '../backlog.ts';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, collect, colonyCommand, numberOption, readId, readWhole } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';
import { syncCommand } from './intents-sync.ts';
import { reopenCommand } from './reopen.ts';

const states = ['open', 'taken', 'proposed', 'landed', 'closed', 'blocked', 'abandoned'] as const;

interface AddOptions extends ColonyOptions {
  readonly body?: string;
  readonly paths?: readonly string[];
  readonly priority?: number;
  readonly label?: readonly string[];
  readonly after?: readonly `int_${string}`[];
  readonly key?: string;
}

interface ImportOptions extends ColonyOptions {
  readonly format?: BacklogFormat;
}

interface ListOptions extends ColonyOptions {
  readonly state?: (typeof states)[number];
  readonly limit: number;
  readonly after?: `int_${string}`;
}

/** The command `intents` with its parts. */
export function intentsCommand(settings: CommandSettings): Command {
  return new Command('intents')
    .description('add, import, sync, list and reopen pieces of work')
    .addCommand(addCommand(settings))
    .addCommand(importCommand(settings))
    .addCommand(syncCommand(settings))
    .addCommand(listCommand(settings))
    .addCommand(reopenCommand(settings));
}

function addCommand(settings: CommandSettings): Command {
  return colonyCommand('add', 'add one intent')
    .argument('<title>')
    .option('--body <text>', 'what to do, in full')
    .option('--paths <glob...>', 'paths that the work will probably touch')
    .option('--priority <number>', 'higher is sooner (default: 0)', (text) => readWhole(text, -1_000_000, 1_000_000))
    .option('--label <name...>', 'labels, by which agents may choose')
    .option('--after <intent>', 'an intent that must be done first; may be repeated', collect(readId('int')))
    .option('--key <text>', 'adding the same key twice gives the same intent')
    .action((title: string, options: AddOptions) => add(settings, title, options));
}

function importCommand(settings: CommandSettings): Command {
  return colonyCommand(
    'import',
    'import a Markdown backlog, issues of GitHub or GitLab as JSON, or beads as JSON lines',
  )
    .argument('<file>')
    .addOption(new Option('--format <format>', 'what the file is (default: by its ending)').choices(backlogFormats))
    .action((file: string, options: ImportOptions) => importFile(settings, file, options));
}

function listCommand(settings: CommandSettings): Command {
  return colonyCommand('list', 'list intents, newest first')
    .addOption(new Option('--state <state>', 'only these').choices(states))
    .addOption(numberOption('--limit <number>', 'how many', 1, 1_000).default(50))
    .option('--after <intent>', 'continue after this intent', readId('int'))
    .action((options: ListOptions) => list(settings, options));
}

async function add(settings: CommandSettings, title: string, options: AddOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const draft = {
    title,
    body: options.body ?? '',
    paths: [...(options.paths ?? [])],
    priority: options.priority ?? 0,
    labels: [...(options.label ?? [])],
    after: [...(options.after ?? [])],
    key: options.key ?? null,
  };
  const created = await client.call('createIntents', { parts: { colony }, body: { intents: [draft] } });
  report(settings, options, created.intents);
}

async function importFile(settings: CommandSettings, file: string, options: ImportOptions): Promise<void> {
  const { drafts } = readBacklogFile(file, options.format).backlog;
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  report(settings, options, await createDrafts(client, colony, drafts, file));
}

async function list(settings: CommandSettings, options: ListOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const { limit, state, after } = options;
  const query = { limit, ...(state === undefined ? {} : { state }), ...(after === undefined ? {} : { after }) };
  const page = await client.call('listIntents', { parts: { colony }, query });
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(page)}\n`);
    return;
  }
  const rows = page.intents.map((intent) => [intent.id, intent.state, String(intent.priority), intent.title]);
  settings.output.write(table(['intent', 'state', 'priority', 'title'], rows));
  if (page.next !== undefined) settings.output.write(`more: firetrident intents list --after ${page.next}\n`);
}

function report(settings: CommandSettings, options: ColonyOptions, intents: readonly CreatedIntent[]): void {
  if (options.json === true) {
    settings.output.write(`${JSON.stringify({ intents })}\n`);
    return;
  }
  for (const intent of intents) {
    const like = intent.duplicateOf?.length ? `, much like ${intent.duplicateOf.join(', ')}` : '';
    settings.output.write(`${intent.id} ${intent.state}${like}\n`);
  }
  const known = intents.filter((intent) => intent.known === true).length;
  const count = `${intents.length} ${intents.length === 1 ? 'intent' : 'intents'}`;
  settings.output.write(known === 0 ? `${count}\n` : `${count}: ${intents.length - known} new, ${known} known\n`);
}
