// `firetrident bench report`: results of other bench commands as one page.

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { countOf } from '@firetrident/base';
import { Command } from 'commander';
import { readResultsOf, requireFolderOf } from '../bench-result.ts';
import type { CommandSettings } from '../program.ts';

/** The command `bench report`. */
export function benchReportCommand(settings: CommandSettings): Command {
  return new Command('report')
    .description('make one page that needs nothing else of the results that other bench commands wrote')
    .argument('<results...>', 'folders of results, or single files')
    .requiredOption('--out <file>', 'where the page goes, as HTML')
    .action((places: readonly string[], { out }: { readonly out: string }) => report(settings, places, out));
}

async function report(settings: CommandSettings, places: readonly string[], out: string): Promise<void> {
  requireFolderOf(settings, out);
  const results = await readResultsOf(settings, places);
  const { reportPage } = await import('@firetrident/bench');
  await writeFile(resolve(settings.configuration.directory, out), reportPage(results));
  settings.output.write(`${countOf(results.length, 'result')} on the page ${out}\n`);
}
