// `firetrident bench history`: extracts the facts of a repository's history, for `bench sim`.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { countOf } from '@firetrident/base';
import { Command } from 'commander';
import { writtenProgress } from '../bench-progress.ts';
import { CommandFailure } from '../failure.ts';
import { numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface HistoryOptions {
  readonly repo?: string;
  readonly out: string;
  readonly limit?: number;
  readonly json?: boolean;
}

const commitsAtMost = 1_000_000;
/** Commits between two lines of progress. */
const commitsPerReport = 50;

/** The command `bench history`. */
export function benchHistoryCommand(settings: CommandSettings): Command {
  return new Command('history')
    .description("extract which files, lines and exported names each commit of a repository's history changed and read")
    .option('--repo <directory>', 'the repository, whose HEAD is followed (default: the current one)')
    .requiredOption('--out <file>', 'where the facts go, as JSON lines; .gz and .br are compressed')
    .addOption(numberOption('--limit <commits>', 'only the newest so many commits', 1, commitsAtMost))
    .option('--json', 'print JSON')
    .action((options: HistoryOptions) => extract(settings, options));
}

async function extract(settings: CommandSettings, options: HistoryOptions): Promise<void> {
  const { configuration, output } = settings;
  const repository = options.repo ?? configuration.repository;
  if (repository === null) throw new CommandFailure('there is no repository here', 'name one with --repo');
  const out = resolve(configuration.directory, options.out);
  if (!existsSync(dirname(out))) {
    throw new CommandFailure(`there is no directory ${dirname(out)}`, 'make it, or name another file with --out');
  }
  // Loaded only here: other commands need neither the parser nor the simulator.
  const { extractHistory, HistoryError, writeHistoryText } = await import('@firetrident/bench');
  const { historyLine } = await import('@firetrident/simulator');
  const progress = writtenProgress(settings);
  const lines: string[] = [];
  try {
    for await (const commit of extractHistory({ repository: resolve(repository), limit: options.limit ?? null })) {
      lines.push(historyLine(commit));
      if (lines.length % commitsPerReport === 0) progress.show(`${countOf(lines.length, 'commit')}`);
    }
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    throw new CommandFailure(`no history in ${repository}: ${error.message}`, 'name a git repository with --repo');
  } finally {
    progress.end();
  }
  const bytes = await writeHistoryText(out, lines.join(''));
  if (options.json === true) output.write(`${JSON.stringify({ commits: lines.length, bytes, file: out })}\n`);
  else output.write(`${countOf(lines.length, 'commit')} in ${options.out} (${countOf(bytes, 'byte')})\n`);
}
