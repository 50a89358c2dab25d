// `firetrident bench batchcost`, `hot`, `starve`, `red-trunk`: stories told to a live colony, with what must hold.

import type { LiveScenarioName, LiveScenarioResult } from '@firetrident/bench';
import { Command } from 'commander';
import { writtenProgress } from '../bench-progress.ts';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { benchTarget } from '../bench-target.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

interface ScenarioCommandOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** What each command says of itself; the stories are told when they are run. */
const descriptions = {
  batchcost: 'land the same changes one by one and at once: what a batch costs',
  hot: 'let many agents change one file at once, each another place of it',
  starve: 'let short pieces of work keep changing what a long one reads: it lands all the same',
  'red-trunk': 'pause trunk while agents propose: nothing is lost, and all of it lands when trunk goes on',
} as const satisfies Readonly<Record<LiveScenarioName, string>>;

/** The commands of the live stories. */
export function benchLiveScenarioCommands(settings: CommandSettings): readonly Command[] {
  return Object.entries(descriptions).map(([name, description]) =>
    new Command(name)
      .description(description)
      .option('--out <file>', 'write the result there as JSON')
      .option('--json', 'print JSON')
      .action((options: ScenarioCommandOptions) => scenario(settings, name as LiveScenarioName, options)),
  );
}

async function scenario(settings: CommandSettings, name: LiveScenarioName, options: ScenarioCommandOptions) {
  const { runLiveScenario } = await import('@firetrident/bench');
  requireFolderOf(settings, options.out);
  const target = await benchTarget(settings, null);
  const line = writtenProgress(settings);
  let result: LiveScenarioResult;
  try {
    const colony = `${name}-${Date.now().toString(36)}`;
    result = await runLiveScenario(name, { target, colony, keep: false, progress: (text) => line.show(text) });
  } finally {
    line.end();
    await target.stop();
  }
  await writeResult(settings, options.out, result);
  settings.output.write(options.json === true ? `${JSON.stringify(result)}\n` : liveScenarioText(result));
  if (result.expectations.some(({ holds }) => !holds)) settings.end(1);
}

/** What was expected and seen, as text. */
function liveScenarioText({ scenario: name, story, expectations, measured }: LiveScenarioResult): string {
  const rows = expectations.map(({ what, expected, seen, holds }) => [what, expected, seen, holds ? 'holds' : 'FAILS']);
  const figures = Object.entries(measured).map(([figure, value]) => `${figure}: ${Math.round(value * 100) / 100}\n`);
  return `MEASURED: ${name}\n${story}\n\n${table(['what', 'expected', 'seen', ''], rows)}${figures.join('')}`;
}
