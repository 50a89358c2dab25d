// `firetrident bench peers`: other ways of landing on stock git, and this system, one after the other on this machine.

import type { PeerSystem, PeersPlan, PeersResult } from '@firetrident/bench';
import { Command, Option } from 'commander';
import { peersText } from '../bench-peers-text.ts';
import { writtenProgress } from '../bench-progress.ts';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { benchTarget } from '../bench-target.ts';
import { CommandFailure } from '../failure.ts';
import { durationOption, listOf, type Milliseconds, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { interruption } from '../serving.ts';

interface PeersCommandOptions {
  readonly systems: readonly string[];
  readonly agents: number;
  readonly duration: Milliseconds;
  readonly hot: number;
  readonly workMs: number;
  readonly intents: number;
  readonly checkMs: number;
  readonly checkSlots: number;
  readonly failureRate: number;
  readonly flakeRate: number;
  readonly batch?: number;
  readonly window?: number;
  readonly pushers: number;
  readonly seed: number;
  readonly out?: string;
  readonly json?: boolean;
}

const usualSystems = 'firetrident,locks-fifo,fifo-batch,speculative,rebase-push';
/** Changes of a batch and of a chain at most: as many as wait when nothing but landing costs, and what forges allow with checks. */
const usual = { free: { batch: 1_000, window: 1_000 }, checked: { batch: 16, window: 100 } };

/** The command `bench peers`. */
export function benchPeersCommand(settings: CommandSettings): Command {
  return new Command('peers')
    .description(
      'measure other ways of landing, with stock git and the changes of bench live, and this system beside them',
    )
    .addOption(
      new Option('--systems <names>', 'which, one after the other')
        .argParser(listOf((text) => text))
        .default(listOf((text) => text)(usualSystems), usualSystems),
    )
    .addOption(numberOption('--agents <number>', 'agents of each system', 1, 20_000).default(1_000))
    .addOption(
      durationOption('--duration <time>', 'time of each system, of which a quarter is not counted').default(
        40_000,
        '40',
      ),
    )
    .addOption(numberOption('--hot <percent>', 'changes that rewrite one of eight hot files', 0, 100).default(0))
    .addOption(
      numberOption('--work-ms <ms>', 'median of the work time of a change, log-normal', 0, 3_600_000).default(0),
    )
    .addOption(numberOption('--intents <number>', 'open intents kept on offer', 1, 100_000).default(2_000))
    .addOption(numberOption('--check-ms <ms>', 'time of one check; 0 for none', 0, 3_600_000).default(0))
    .addOption(
      numberOption('--check-slots <number>', 'checks at the same time; 0 for as many as wanted', 0, 100_000).default(0),
    )
    .addOption(numberOption('--failure-rate <percent>', 'changes that are broken at first', 0, 100).default(0))
    .addOption(numberOption('--flake-rate <percent>', 'checks that fail for no reason', 0, 90).default(0))
    .addOption(
      numberOption('--batch <number>', 'changes of a batch at most (default: 1000, with checks 16)', 1, 10_000),
    )
    .addOption(
      numberOption('--window <number>', 'changes of the chain at most (default: 1000, with checks 100)', 1, 10_000),
    )
    .addOption(numberOption('--pushers <number>', 'agents that rebase and push at the same time', 1, 64).default(2))
    .addOption(numberOption('--seed <number>', 'seed of the changes', 0, 4_294_967_295).default(1))
    .option('--out <file>', 'write the result there as JSON')
    .option('--json', 'print JSON')
    .action((options: PeersCommandOptions) => peers(settings, options));
}

async function peers(settings: CommandSettings, options: PeersCommandOptions): Promise<void> {
  requireFolderOf(settings, options.out);
  const plan = await planOf(options);
  const result = await run(settings, plan);
  await writeResult(settings, options.out, result);
  settings.output.write(options.json === true ? `${JSON.stringify(result)}\n` : peersText(result));
}

async function planOf(options: PeersCommandOptions): Promise<PeersPlan> {
  const { peerSystems } = await import('@firetrident/bench');
  const systems = options.systems.map((name): PeerSystem => {
    const system = peerSystems.find((each) => each === name);
    if (system !== undefined) return system;
    throw new CommandFailure(`there is no system ${JSON.stringify(name)}`, `choose from ${peerSystems.join(', ')}`);
  });
  const { agents, duration, hot, workMs, intents, checkMs, checkSlots, failureRate, flakeRate, pushers, seed } =
    options;
  const isChecked = checkMs > 0;
  if (!isChecked && (failureRate > 0 || flakeRate > 0 || checkSlots > 0)) {
    throw new CommandFailure('there are no checks that could fail', 'say with --check-ms how long one takes');
  }
  const atMost = isChecked ? usual.checked : usual.free;
  const checks = { durationMs: checkMs, slots: checkSlots, failurePercent: failureRate, flakePercent: flakeRate };
  return {
    systems,
    agents,
    durationMs: duration,
    hotPercent: hot,
    workMs,
    openIntents: intents,
    checks: isChecked ? checks : null,
    batch: options.batch ?? atMost.batch,
    window: options.window ?? atMost.window,
    pushers,
    seed,
  };
}

async function run(settings: CommandSettings, plan: PeersPlan): Promise<PeersResult> {
  const { runPeers } = await import('@firetrident/bench');
  const line = writtenProgress(settings);
  const stopping = interruption();
  try {
    return await runPeers(plan, {
      target: () => benchTarget(settings, null),
      signal: stopping.signal,
      progress: (system) => line.show(`measuring ${system}`),
    });
  } finally {
    line.end();
    stopping.forget();
  }
}
