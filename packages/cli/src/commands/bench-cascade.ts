// `firetrident bench cascade`: thirty readers of one file, one landing, and what σ does about it.

import type { CascadeResult } from '@firetrident/bench';
import { Command } from 'commander';
import { writtenProgress } from '../bench-progress.ts';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { benchTarget } from '../bench-target.ts';
import { durationOption, type Milliseconds, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface CascadeCommandOptions {
  readonly readers: number;
  readonly watch: Milliseconds;
  readonly out?: string;
  readonly json?: boolean;
}

/** The command `bench cascade`. */
export function benchCascadeCommand(settings: CommandSettings): Command {
  return new Command('cascade')
    .description('let one landing make the work of many agents stale, and watch its region slow and recover')
    .addOption(numberOption('--readers <number>', 'agents that have read the file', 1, 1_000).default(30))
    .addOption(durationOption('--watch <time>', 'how long the region is watched').default(120_000, '120'))
    .option('--out <file>', 'write the result there as JSON')
    .option('--json', 'print JSON')
    .action((options: CascadeCommandOptions) => cascade(settings, options));
}

async function cascade(settings: CommandSettings, options: CascadeCommandOptions): Promise<void> {
  const { runCascade } = await import('@firetrident/bench');
  requireFolderOf(settings, options.out);
  const target = await benchTarget(settings, null);
  const line = writtenProgress(settings);
  let result: CascadeResult;
  try {
    const colony = `cascade-${Date.now().toString(36)}`;
    const { readers, watch: watchMs } = options;
    const progress = (text: string) => line.show(text);
    result = await runCascade({ target, colony, readers, watchMs, keep: false, progress });
  } finally {
    line.end();
    await target.stop();
  }
  await writeResult(settings, options.out, result);
  settings.output.write(options.json === true ? `${JSON.stringify(result)}\n` : cascadeText(result));
  if (result.attributed !== result.readers) settings.end(1);
}

/** What was seen, as text. */
export function cascadeText(result: CascadeResult): string {
  const seconds = (ms: number | null) => (ms === null ? 'not seen' : `after ${(ms / 1_000).toFixed(1)} s`);
  return [
    `MEASURED: ${result.readers} readers of one file, one landing`,
    `stale returns: ${result.staleReturns}, of which ${result.attributed} are blamed on that landing`,
    `σ rose to ${result.sigmaMax.toFixed(1)}; the lane of the region slowed to one batch in ${result.laneDelayMsMax} ms`,
    `slowed ${seconds(result.slowedAfterMs)}; σ below 1 again ${seconds(result.recoveredAfterMs)}`,
    `repairs that landed: ${result.repairsLanded}`,
    '',
  ].join('\n');
}
