// `firetrident bench record`: keeps what results measured in the history of the repository.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { countOf } from '@firetrident/base';
import { Command } from 'commander';
import { readResultsOf } from '../bench-result.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';

interface RecordOptions {
  readonly history: string;
  readonly json?: boolean;
}

/** The command `bench record`. */
export function benchRecordCommand(settings: CommandSettings): Command {
  return new Command('record')
    .description('append what results measured to the history of benchmarks, a line each')
    .argument('<results...>', 'files that other bench commands wrote with --out, or folders of them')
    .option('--history <file>', 'the history, JSON lines', 'bench/history.jsonl')
    .option('--json', 'print JSON')
    .action((places: readonly string[], options: RecordOptions) => record(settings, places, options));
}

async function record(settings: CommandSettings, places: readonly string[], options: RecordOptions): Promise<void> {
  const { directory, repository } = settings.configuration;
  const file = resolve(repository ?? directory, options.history);
  if (!existsSync(dirname(file))) {
    throw new CommandFailure(`there is no directory ${dirname(file)}`, 'make it, or name another file with --history');
  }
  const results = await readResultsOf(settings, places);
  const { appendHistory, HistoryLineError } = await import('@firetrident/bench');
  try {
    const lines = await appendHistory(file, results);
    const text = `${countOf(lines.length, 'line')} added to ${file}\n`;
    settings.output.write(options.json === true ? `${JSON.stringify(lines)}\n` : text);
  } catch (error) {
    if (!(error instanceof HistoryLineError)) throw error;
    throw new CommandFailure(error.message, 'nothing was written');
  }
}
