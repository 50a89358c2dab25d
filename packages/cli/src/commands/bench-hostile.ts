// `firetrident bench hostile`: what hostile clients cost the honest agents of a daemon.

import { availableParallelism } from 'node:os';
import type { HostileResult } from '@firetrident/bench';
import { Command } from 'commander';
import { writtenProgress } from '../bench-progress.ts';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { benchTarget } from '../bench-target.ts';
import { durationOption, type Milliseconds, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';
import { interruption } from '../serving.ts';

interface HostileCommandOptions {
  readonly agents: number;
  readonly duration: Milliseconds;
  readonly out?: string;
  readonly json?: boolean;
}

/** The command `bench hostile`. */
export function benchHostileCommand(settings: CommandSettings): Command {
  return new Command('hostile')
    .description('put hostile clients beside honest agents, and measure what they cost these')
    .addOption(numberOption('--agents <number>', 'honest agents', 1, 20_000).default(500))
    .addOption(durationOption('--duration <time>', 'how long each of the three runs lasts').default(40_000, '40'))
    .option('--out <file>', 'write the result there as JSON')
    .option('--json', 'print JSON')
    .action((options: HostileCommandOptions) => hostile(settings, options));
}

async function hostile(settings: CommandSettings, options: HostileCommandOptions): Promise<void> {
  const { runHostile, usualHostileCounts, usualRampMs, usualSettleMs, usualWorkers } = await import(
    '@firetrident/bench'
  );
  const { agents, duration } = options;
  const plan = {
    agents,
    durationMs: duration,
    rampMs: Math.min(usualRampMs(agents), duration / 4),
    settleMs: Math.min(usualSettleMs, duration / 4),
    openIntents: 2_000,
    workMs: 0,
    hotPercent: 0,
    gitAgents: 0,
    soak: false,
    workers: Math.min(agents, usualWorkers(agents, availableParallelism())),
    seed: 1,
  };
  requireFolderOf(settings, options.out);
  const target = await benchTarget(settings, null);
  const line = writtenProgress(settings);
  const stopping = interruption();
  let result: HostileResult;
  try {
    const colony = `hostile-${Date.now().toString(36)}`;
    result = await runHostile(plan, usualHostileCounts, {
      target,
      colony,
      signal: stopping.signal,
      progress: (elapsedMs, { landed }) => line.show(`${Math.round(elapsedMs / 1_000)} s: ${landed} landed`),
    });
  } finally {
    line.end();
    stopping.forget();
    await target.stop();
  }
  await writeResult(settings, options.out, result);
  settings.output.write(options.json === true ? `${JSON.stringify(result)}\n` : hostileText(result));
  if (result.expectations.some(({ holds }) => !holds)) settings.end(1);
}

/** What was seen, as text. */
function hostileText({ counts, hostile: seen, landedPerMin, rssMiB, expectations, runs }: HostileResult): string {
  const rows = (['before', 'beside', 'after'] as const).map((name, index) => [
    name,
    landedPerMin[name].toFixed(0),
    `${rssMiB[name].toFixed(0)} MiB`,
    `${(runs[index]?.daemon.eventLoopMsMax ?? 0).toFixed(0)} ms`,
    String(runs[index]?.totalErrors ?? 0),
  ]);
  const held = expectations.map(({ what, expected, seen: was, holds }) => [
    what,
    expected,
    was,
    holds ? 'holds' : 'FAILS',
  ]);
  return [
    `MEASURED: honest agents before, beside and after ${counts.halfOpen} half-open connections, ${counts.oversized} floods of`,
    `oversized frames, ${counts.storming} storms of reconnections and ${counts.deaf} readers that never read`,
    '',
    table(['run', 'landings/min', 'memory', 'longest delay', 'calls failed'], rows),
    `hostile: ${seen.connections} connections, ${seen.cut} cut, ${seen.upgrades} upgraded, ${seen.megabytesSent} MiB sent, ${seen.unreadCalls} calls never read`,
    '',
    table(['what', 'expected', 'seen', ''], held),
  ].join('\n');
}
