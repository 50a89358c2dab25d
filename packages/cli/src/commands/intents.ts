// `firetrident intents`: adding, importing and listing pieces of work.

import { readFileSync } from 'node:fs';
import { type Draft, parseGithubIssues, parseMarkdownBacklog } from '@firetrident/content';
import type { IntentResponse } from '@firetrident/protocol';
import { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

interface CommonOptions {
  readonly colony?: string;
  readonly data?: string;
  readonly json?: boolean;
}

interface AddOptions extends CommonOptions {
  readonly body?: string;
  readonly paths?: readonly string[];
  readonly priority?: string;
  readonly label?: readonly string[];
  readonly after?: readonly string[];
  readonly key?: string;
}

interface ListOptions extends CommonOptions {
  readonly state?: IntentResponse['state'];
  readonly limit: string;
}

export function intentsCommand(settings: CommandSettings): Command {
  const intents = new Command('intents').description('add, import and list pieces of work');
  const common = (command: Command) =>
    command
      .option('--colony <id>', 'the colony (default: the only one)')
      .option('--data <directory>', 'data directory of the daemon')
      .option('--json', 'print JSON');
  common(intents.command('add <title>').description('add one intent'))
    .option('--body <text>', 'what to do, in full')
    .option('--paths <glob...>', 'paths that the work will probably touch')
    .option('--priority <number>', 'higher is sooner (default: 0)')
    .option('--label <name...>', 'labels')
    .option('--after <intent...>', 'intents that must be done first')
    .option('--key <text>', 'adding the same key twice gives the same intent')
    .action((title: string, options: AddOptions) => add(settings, title, options));
  common(intents.command('import <file>').description('import a Markdown backlog, or GitHub issues as JSON'))
    .option('--format <markdown|github>', 'what the file is (default: by its ending)')
    .action((file: string, options: CommonOptions & { format?: string }) => importFile(settings, file, options));
  common(intents.command('list').description('list intents, newest first'))
    .option('--state <state>', 'open, taken, proposed, landed, closed, blocked or abandoned')
    .option('--limit <number>', 'how many', '50')
    .action((options: ListOptions) => list(settings, options));
  return intents;
}

async function add(settings: CommandSettings, title: string, options: AddOptions): Promise<void> {
  const client = connect(settings.configuration, options.data);
  const colony = await chooseColony(client, options.colony);
  const draft = {
    title,
    body: options.body ?? '',
    paths: [...(options.paths ?? [])],
    priority: Number(options.priority ?? 0),
    labels: [...(options.label ?? [])],
    after: (options.after ?? []) as `int_${string}`[],
    ...(options.key === undefined ? {} : { key: options.key }),
  };
  const created = await client.call('createIntents', { parts: { colony }, body: { intents: [draft] } });
  report(settings, options, created.intents);
}

async function importFile(settings: CommandSettings, file: string, options: CommonOptions & { format?: string }): Promise<void> {
  const drafts = readDrafts(file, options.format);
  const client = connect(settings.configuration, options.data);
  const colony = await chooseColony(client, options.colony);
  const created = await createDrafts(client, colony, drafts);
  report(settings, options, created);
}

function readDrafts(file: string, format: string | undefined): readonly Draft[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`, 'name a Markdown or JSON file');
  }
  const isJson = format === 'github' || (format === undefined && file.endsWith('.json'));
  const parsed = isJson ? parseGithubIssues(text) : parseMarkdownBacklog(text);
  if (parsed.ok) return parsed.value;
  throw new CommandFailure(`${file}: ${JSON.stringify(parsed.error)}`, 'nothing was imported; correct the file and import it again');
}

/** Creates drafts in order, so that parents and dependencies have their ids; an import repeated is the same intents. */
async function createDrafts(client: ReturnType<typeof connect>, colony: string, drafts: readonly Draft[]) {
  const created: { id: `int_${string}`; title: string; state: string }[] = [];
  const idOf = new Map<string, `int_${string}`>();
  for (const draft of drafts) {
    const parent = draft.parent === undefined ? undefined : created[draft.parent]?.id;
    const after = (draft.after ?? []).flatMap((name) => idOf.get(name) ?? []);
    const { title, body, paths, priority, labels, key } = draft;
    const intent = { title, body, paths: [...paths], priority, labels: [...labels], key, after, ...(parent === undefined ? {} : { parent }) };
    const answer = await client.call('createIntents', { parts: { colony }, body: { intents: [intent] } });
    const one = answer.intents[0];
    if (one === undefined) continue;
    created.push({ ...one, title });
    idOf.set(title, one.id).set(key, one.id);
  }
  return created;
}

async function list(settings: CommandSettings, options: ListOptions): Promise<void> {
  const client = connect(settings.configuration, options.data);
  const colony = await chooseColony(client, options.colony);
  const query = { limit: Number(options.limit), ...(options.state === undefined ? {} : { state: options.state }) };
  const { intents } = await client.call('listIntents', { parts: { colony }, query });
  if (options.json === true) settings.output.write(`${JSON.stringify({ intents })}\n`);
  else settings.output.write(table(['intent', 'state', 'priority', 'title'], intents.map((intent) => [intent.id, intent.state, String(intent.priority), intent.title])));
}

function report(
  settings: CommandSettings,
  options: CommonOptions,
  intents: readonly { readonly id: string; readonly state: string; readonly duplicateOf?: readonly string[] }[],
): void {
  if (options.json === true) {
    settings.output.write(`${JSON.stringify({ intents })}\n`);
    return;
  }
  for (const intent of intents) {
    const like = intent.duplicateOf?.length ? `, much like ${intent.duplicateOf.join(', ')}` : '';
    settings.output.write(`${intent.id} ${intent.state}${like}\n`);
  }
  settings.output.write(`${intents.length} ${intents.length === 1 ? 'intent' : 'intents'}\n`);
}
