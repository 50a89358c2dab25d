// `firetrident intents sync`: a colony and the backlog that its work comes from, brought together, once or again and again.
//
// Invariants:
//   IS1. A round that fails half-way is finished by the next one: every step is found again by comparing.
//   IS2. A box is checked and a command is run only for work that has landed.
//   IS3. A backlog file is changed whole or not at all, keeps its mode, and stays the link that it may be.

import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { CommandUnusableError, runCommand } from '@firetrident/agents';
import { countOf } from '@firetrident/base';
import { type Client, ClientError } from '@firetrident/client';
import { type BacklogFormat, backlogFormats, checkOffMarkdown, guessBacklogFormat } from '@firetrident/content';
import { type Command, Option } from 'commander';
import { createDrafts, type ReadBacklog, readBacklog, readBacklogFile } from '../backlog.ts';
import { planSync, type SyncPlan, sourceOf } from '../backlog-sync.ts';
import { checkOffOnTrunk, readTrunkFile, type TrunkText } from '../backlog-trunk.ts';
import { chooseColony, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { allIntents, type ListedIntent } from '../intent-pages.ts';
import { type ColonyOptions, colonyCommand, durationOption, type Milliseconds } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { aborted, interruption } from '../serving.ts';

interface SyncOptions extends ColonyOptions {
  readonly format?: BacklogFormat;
  readonly from?: string;
  readonly fromTrunk?: string;
  readonly whole?: boolean;
  readonly checkOff?: boolean;
  readonly onLanded?: string;
  readonly every?: Milliseconds;
  readonly dryRun?: boolean;
}

/** One sync: where it reads, where it writes. */
interface Sync {
  readonly client: Client;
  readonly colony: string;
  readonly file: string | undefined;
  readonly options: SyncOptions;
  readonly signal: AbortSignal;
}

/** What a round came to; the numbers of intents. */
interface Round {
  readonly created: number;
  readonly changed: number;
  readonly withdrawn: number;
  /** Landed work that was closed at its source. */
  readonly closed: number;
  /** Landed work that its source still calls open. */
  readonly unclosed: number;
  readonly same: number;
  /** Steps that were refused, in words. The next round tries them again (IS1). */
  readonly problems: readonly string[];
}

/** How long a command may take that prints a backlog or closes one item of it. */
const commandMs = 120_000;
/** Bytes of a backlog that a command may print. */
const printedBytes = 64 * 1024 * 1024;

/** The command `intents sync`. */
export function syncCommand(settings: CommandSettings): Command {
  return colonyCommand('sync', 'bring the colony and a backlog together: add, change, withdraw, and close what landed')
    .argument('[file]', 'the backlog: Markdown, issues of GitHub or GitLab as JSON, or beads as JSON lines')
    .option('--from <command>', 'a shell command that prints the backlog, instead of a file')
    .addOption(new Option('--format <format>', 'what the backlog is (default: by the ending)').choices(backlogFormats))
    .option('--from-trunk <path>', 'a Markdown file of the colony’s trunk, from the top of the repository')
    .option('--whole', 'the backlog names everything: withdraw work that it names no more')
    .option('--check-off', 'check the boxes of landed work in the Markdown file; on trunk, by a landing')
    .option(
      '--on-landed <command>',
      'a shell command that closes landed work at its source, named by FT_SOURCE; FT_INTENT and FT_INTENT_TITLE are set too',
    )
    .addOption(durationOption('--every <duration>', 'go on until Ctrl-C, with this pause between rounds'))
    .option('--dry-run', 'say what would be done, and do nothing')
    .action((file: string | undefined, options: SyncOptions) => sync(settings, file, options));
}

function checkUse(file: string | undefined, { from, fromTrunk, format, checkOff }: SyncOptions): void {
  const sources = [file, from, fromTrunk].filter((source) => source !== undefined).length;
  const problem =
    sources !== 1
      ? ['it is not clear where the backlog is', 'name a file, or give --from or --from-trunk']
      : from !== undefined && format === undefined
        ? ['what the command prints is not said', `give --format: ${backlogFormats.join(', ')}`]
        : checkOff === true && from !== undefined
          ? ['--check-off wants a file', 'use --on-landed to close work elsewhere']
          : null;
  if (problem !== null) throw new CommandFailure(problem[0] ?? '', problem[1] ?? '', exitCodes.usage);
}

async function sync(settings: CommandSettings, file: string | undefined, options: SyncOptions): Promise<void> {
  checkUse(file, options);
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const stopping = interruption();
  const job: Sync = { client, colony, file, options, signal: stopping.signal };
  try {
    const round = await syncOnce(job);
    report(settings, options, round);
    if (options.every === undefined) {
      if (round.problems.length > 0) settings.end(exitCodes.failure);
      return;
    }
    for (;;) {
      await Promise.race([aborted(stopping.signal), pause(options.every)]);
      if (stopping.signal.aborted) return;
      await syncAgain(settings, job);
    }
  } finally {
    stopping.forget();
  }
}

/** One more round. What stopped it is told, and left to the next one (IS1). */
async function syncAgain(settings: CommandSettings, job: Sync): Promise<void> {
  try {
    report(settings, job.options, await syncOnce(job));
  } catch (error) {
    if (!(error instanceof CommandFailure) && !(error instanceof ClientError)) throw error;
    settings.errors.write(`this round failed: ${error.message}\n`);
  }
}

function pause(milliseconds: Milliseconds): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

async function syncOnce(job: Sync): Promise<Round> {
  const { client, colony, options } = job;
  const source =
    job.file ?? (options.fromTrunk === undefined ? `what "${options.from}" printed` : `${options.fromTrunk} of trunk`);
  const read = await readSource(job, source);
  const { backlog, format } = read;
  if (options.checkOff === true && format !== 'markdown') {
    throw new CommandFailure('only boxes of a Markdown file can be checked', 'use --on-landed', exitCodes.usage);
  }
  const intents = await allIntents(client, colony);
  const plan = planSync(backlog, format, intents, options.whole === true);
  const steps = { created: plan.create.length, changed: plan.edit.length, withdrawn: plan.withdraw.length };
  const counts = { ...steps, closed: 0, unclosed: plan.close.length, same: plan.same };
  if (options.dryRun === true) return { ...counts, problems: [] };
  if (plan.create.length > 0) await createDrafts(client, colony, backlog.drafts, source);
  const problems = await editAll(job, plan);
  const closed = await closeAtSource(job, read, plan.close, intents, problems);
  return { ...counts, closed, unclosed: plan.close.length - closed, problems };
}

/** A backlog, and its file on trunk when it is one. */
type ReadSource = ReadBacklog & { readonly onTrunk?: TrunkText };

async function readSource(job: Sync, source: string): Promise<ReadSource> {
  const { from, fromTrunk, format } = job.options;
  if (job.file !== undefined) return readBacklogFile(job.file, format);
  if (fromTrunk !== undefined) {
    const onTrunk = await readTrunkFile({ ...job, path: fromTrunk });
    const { text } = onTrunk;
    return { ...readBacklog(text, source, format ?? guessBacklogFormat(fromTrunk, text)), onTrunk };
  }
  const end = await shell(job, from ?? '', {}, printedBytes);
  if (end.code !== 0) {
    throw new CommandFailure(`"${from}" failed: ${end.output.trim()}`, 'see what it printed; nothing was changed');
  }
  return readBacklog(end.output, source, format ?? 'markdown');
}

/** Runs a shell command. One that cannot be run at all is a failure like any other. */
function shell(
  job: Sync,
  command: string,
  environment: Readonly<Record<string, string>>,
  keptBytes?: number,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const running = runCommand({
    command: [command],
    directory: process.cwd(),
    environment,
    input: '',
    timeoutMs: commandMs,
    signal: job.signal,
    ...(keptBytes === undefined ? {} : { keptBytes }),
  });
  return running.catch((error: unknown) => {
    if (!(error instanceof CommandUnusableError)) throw error;
    return { code: null, output: error.message };
  });
}

/** Edits and withdraws; answers what was refused, such as work whose proposal is in a queue just now. */
async function editAll({ client, colony }: Sync, plan: SyncPlan): Promise<string[]> {
  const problems: string[] = [];
  const edits = [
    ...plan.edit.map(({ intent, changes }) => ({ intent, body: changes })),
    ...plan.withdraw.map((intent) => ({ intent, body: { state: 'abandoned' as const } })),
  ];
  for (const { intent, body } of edits) {
    try {
      await client.call('editIntent', { parts: { colony, intent: intent.id }, body });
    } catch (error) {
      if (!(error instanceof ClientError) || error.kind !== 'refused') throw error;
      problems.push(`${intent.id} "${intent.title}": ${error.message}`);
    }
  }
  return problems;
}

/** Closes landed work at its source (IS2); answers how much of it. */
async function closeAtSource(
  job: Sync,
  read: ReadSource,
  landed: readonly ListedIntent[],
  intents: readonly ListedIntent[],
  problems: string[],
): Promise<number> {
  const { checkOff, fromTrunk, onLanded } = job.options;
  if (landed.length === 0) return 0;
  const keys = new Set(landed.map(({ key = '' }) => key));
  if (checkOff === true && fromTrunk !== undefined && read.onTrunk !== undefined) {
    const problem = await checkOffOnTrunk({ ...job, path: fromTrunk }, read.onTrunk, keys, intents);
    if (problem !== null) problems.push(problem);
    if (problem !== null && onLanded === undefined) return 0;
  }
  if (checkOff === true && job.file !== undefined) {
    // Read again, so that words written meanwhile stay.
    replaceFile(job.file, checkOffMarkdown(readBacklogFile(job.file, read.format).text, keys));
  }
  let run = 0;
  if (onLanded !== undefined) {
    for (const intent of landed) {
      const { id, title } = intent;
      const environment = { FT_SOURCE: sourceOf(intent), FT_INTENT: id, FT_INTENT_TITLE: title };
      const end = await shell(job, onLanded, environment);
      if (end.code === 0) run += 1;
      else problems.push(`${id} "${title}": "${onLanded}" failed: ${end.output.trim()}`);
    }
    return run;
  }
  return checkOff === true ? landed.length : 0;
}

/** Gives a file other content (IS3). */
function replaceFile(file: string, text: string): void {
  const place = realpathSync(file);
  const written = `${place}.${randomUUID()}`;
  try {
    const handle = openSync(written, 'wx', statSync(place).mode);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(written, place);
  } catch (error) {
    rmSync(written, { force: true });
    throw new CommandFailure(`${file} cannot be written: ${(error as Error).message}`, 'it is as it was');
  }
}

function report(settings: CommandSettings, options: SyncOptions, round: Round): void {
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(round)}\n`);
    return;
  }
  const parts = [
    `${round.created} added`,
    `${round.changed} changed`,
    `${round.withdrawn} withdrawn`,
    `${round.closed} closed at the source`,
    ...(round.unclosed > 0 ? [`${round.unclosed} landed and still open there`] : []),
    `${round.same} as they were`,
  ];
  const would = options.dryRun === true ? 'would be: ' : '';
  settings.output.write(`${would}${parts.join(', ')}\n`);
  for (const problem of round.problems) settings.errors.write(`not done: ${problem}\n`);
  if (round.problems.length > 0)
    settings.errors.write(`${countOf(round.problems.length, 'step')} for the next round\n`);
}
