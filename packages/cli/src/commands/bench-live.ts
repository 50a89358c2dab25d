// `firetrident bench live`: synthetic agents on a daemon, measured on this machine.

import { availableParallelism } from 'node:os';
import type { LivePlan, LiveResult } from '@firetrident/bench';
import { Command } from 'commander';
import { liveResultText } from '../bench-live-text.ts';
import { writtenProgress } from '../bench-progress.ts';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { benchTarget } from '../bench-target.ts';
import { durationOption, type Milliseconds, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { interruption } from '../serving.ts';

interface LiveCommandOptions {
  readonly agents: number;
  readonly duration: Milliseconds;
  readonly ramp?: Milliseconds;
  readonly settle: Milliseconds;
  readonly intents: number;
  readonly workMs: number;
  readonly hot: number;
  readonly soak?: boolean;
  readonly git: number;
  readonly workers?: number;
  readonly seed: number;
  readonly out?: string;
  readonly data?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** The command `bench live`. */
export function benchLiveCommand(settings: CommandSettings): Command {
  return new Command('live')
    .description('put synthetic agents on a daemon and measure: its own, or that of FT_URL and FT_TOKEN')
    .addOption(numberOption('--agents <number>', 'agents', 1, 20_000).default(100))
    .addOption(durationOption('--duration <time>', 'how long the load lasts, ramp included').default(60_000, '60'))
    .addOption(
      durationOption(
        '--ramp <time>',
        'time over which the agents begin (default: 10 s, and 400 agents a second at most)',
      ),
    )
    .addOption(durationOption('--settle <time>', 'time after the ramp that is not counted').default(15_000, '15'))
    .addOption(numberOption('--intents <number>', 'open intents kept on offer', 1, 100_000).default(2_000))
    .addOption(
      numberOption('--work-ms <ms>', 'median of the work time of a change, log-normal', 0, 3_600_000).default(0),
    )
    .addOption(numberOption('--hot <percent>', 'changes that rewrite one of eight hot files', 0, 100).default(0))
    .option('--soak', 'rewrite one of 256 files of a folder instead of adding one')
    .addOption(
      numberOption(
        '--git <number>',
        'agents beside them that are stock git: each clones, commits and pushes',
        0,
        500,
      ).default(0),
    )
    .addOption(
      numberOption(
        '--workers <number>',
        'processes that carry the agents (default: one for two cores, and for 5,000 agents)',
        1,
        64,
      ),
    )
    .addOption(numberOption('--seed <number>', 'seed of the changes', 0, 4_294_967_295).default(1))
    .option('--data <directory>', 'data directory of its own daemon, which stays (default: one that goes)')
    .option('--keep', 'leave the colony of the run when it is over')
    .option('--out <file>', 'write the result there as JSON')
    .option('--json', 'print JSON')
    .action((options: LiveCommandOptions) => live(settings, options));
}

async function live(settings: CommandSettings, options: LiveCommandOptions): Promise<void> {
  requireFolderOf(settings, options.out);
  const result = await run(settings, options);
  await writeResult(settings, options.out, result);
  settings.output.write(options.json === true ? `${JSON.stringify(result)}\n` : liveResultText(result));
  if (result.stoppedEarly) settings.end(1);
}

function planOf(options: LiveCommandOptions, usual: { readonly rampMs: number; readonly workers: number }): LivePlan {
  const { agents, duration, settle, intents, workMs, hot, soak, git, seed } = options;
  return {
    agents,
    durationMs: duration,
    rampMs: Math.min(options.ramp ?? usual.rampMs, duration / 2),
    settleMs: settle,
    openIntents: intents,
    workMs,
    hotPercent: hot,
    soak: soak === true,
    gitAgents: git,
    workers: Math.min(options.workers ?? usual.workers, agents),
    seed,
  };
}

async function run(settings: CommandSettings, options: LiveCommandOptions): Promise<LiveResult> {
  // Loaded only here: other commands do not need the load.
  const { runLive, usualRampMs, usualWorkers } = await import('@firetrident/bench');
  const { agents } = options;
  const plan = planOf(options, { rampMs: usualRampMs(agents), workers: usualWorkers(agents, availableParallelism()) });
  const target = await benchTarget(settings, options.data ?? null);
  const line = writtenProgress(settings);
  const stopping = interruption();
  try {
    return await runLive(plan, {
      target,
      colony: `bench-${Date.now().toString(36)}`,
      keep: options.keep === true || options.data !== undefined,
      signal: stopping.signal,
      progress: (elapsedMs, { agents, landed, errors }) =>
        line.show(`${Math.round(elapsedMs / 1_000)} s: ${agents} agents, ${landed} landed, ${errors} calls failed`),
    });
  } finally {
    line.end();
    stopping.forget();
    await target.stop();
  }
}
