// `firetrident bench notes-check`: stock git on a clone says whether every landing has its note.

import type { NotesCheck } from '@firetrident/bench';
import { type Command, Option } from 'commander';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, colonyCommand, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface NotesCheckCommandOptions extends ColonyOptions {
  readonly repository?: string;
  readonly branch: string;
  readonly sample: number;
  readonly seed: number;
  readonly out?: string;
}

/** The command `bench notes-check`. */
export function benchNotesCheckCommand(settings: CommandSettings): Command {
  return colonyCommand('notes-check', 'check with stock git that every landing commit has a note that names it')
    .option('--repository <path>', 'a repository to clone instead of that of a colony')
    .addOption(new Option('--branch <name>', 'trunk of that repository').default('main'))
    .addOption(numberOption('--sample <number>', 'notes whose content is looked at', 0, 1_000_000).default(60))
    .addOption(numberOption('--seed <number>', 'seed of the sample', 0, 4_294_967_295).default(1))
    .option('--out <file>', 'write the result there as JSON')
    .action((options: NotesCheckCommandOptions) => notesCheck(settings, options));
}

async function notesCheck(settings: CommandSettings, options: NotesCheckCommandOptions): Promise<void> {
  const { checkNotes } = await import('@firetrident/bench');
  requireFolderOf(settings, options.out);
  const place = await placeOf(settings, options);
  const found = await checkNotes({ ...place, sample: options.sample, seed: options.seed });
  await writeResult(settings, options.out, found);
  settings.output.write(options.json === true ? `${JSON.stringify(found)}\n` : notesCheckText(found));
  if (found.withoutNote > 0 || found.wrong > 0 || !found.fanOutHolds) settings.end(1);
}

async function placeOf(
  { configuration }: CommandSettings,
  options: NotesCheckCommandOptions,
): Promise<{ repository: string; branch: string }> {
  if (options.repository !== undefined) return { repository: options.repository, branch: options.branch };
  const client = connect(configuration, options);
  const colony = await chooseColony(client, options.colony);
  const { repository, trunk } = await client.call('readColony', { parts: { colony } });
  return { repository, branch: trunk.branch };
}

/** What was found, as text. */
export function notesCheckText(found: NotesCheck): string {
  const { commits, landingCommits, withoutNote, sampled, wrong, fanOut, fanOutHolds } = found;
  return [
    `MEASURED with stock git: ${commits} commits, ${landingCommits} of them landings`,
    `landing commits without a note: ${withoutNote}`,
    `notes looked at: ${sampled}, of which ${wrong} do not name their landing`,
    `fan-out of the notes: ${fanOut}${fanOutHolds ? '' : ', which is not the one that so many need'}`,
    ...found.problems,
    '',
  ].join('\n');
}
