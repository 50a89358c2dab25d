// `firetrident bench sim`: policies compared in simulated time, on tasks from a repository's history.

import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { SimPlan, SimReport, SimRun } from '@firetrident/bench';
import { Command, Option } from 'commander';
import { checksText } from '../bench-checks-text.ts';
import { writtenProgress } from '../bench-progress.ts';
import { requireFolderOf, writeResult } from '../bench-result.ts';
import { comparisonMarkdown, comparisonText } from '../bench-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { durationOption, listOf, type Milliseconds, numberOption, readWhole } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { interruption } from '../serving.ts';
import { runScenarioChoice } from './bench-scenarios.ts';

interface SimOptions {
  readonly mode: SimPlan['mode'];
  readonly agents: readonly number[];
  readonly seeds: readonly number[];
  readonly policies: readonly string[];
  readonly duration: Milliseconds;
  readonly warmup: Milliseconds;
  readonly history: string;
  readonly redo: readonly number[];
  readonly open: number;
  readonly openMost?: number;
  readonly sizes?: boolean;
  readonly scenario?: readonly string[];
  readonly testMs: number;
  readonly jobs: number;
  readonly out?: string;
  readonly chart?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

const agentsAtMost = 1_000_000;
const seedAtMost = 4_294_967_295;

/** What is compared unless policies are named, and what one word stands for the parts of this system. */
const usualPolicies = 'firetrident,locks-all,locks-oldest-200,published-rules,speculative,fifo-batch,no-conflict';

/** What `--sizes` stands for: this system from a handful of agents to 100,000, with as many open tasks as a large backlog has. */
const sizes = {
  agents: [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000],
  seeds: [1],
  policies: ['firetrident', 'no-conflict'],
  openMost: 30_000,
};

/** The command `bench sim`. */
export function benchSimCommand(settings: CommandSettings): Command {
  const whole = (low: number, high: number) => listOf((text) => readWhole(text, low, high));
  const list = (flags: string, description: string, low: number, high: number, usual: string) =>
    new Option(flags, description).argParser(whole(low, high)).default(whole(low, high)(usual), usual);
  const names = listOf((text) => text);
  return new Command('sim')
    .description('compare policies in simulated time: this system on its own core, locks, queues, and the bound')
    .addOption(new Option('--mode <mode>', 'where tasks come from').choices(['history', 'live']).default('history'))
    .option('--sizes', 'this system at sizes from 10 to 100,000 agents: fails when it collapses')
    .addOption(
      new Option(
        '--scenario <names>',
        'scenarios with what must hold in them, or "all", instead of a comparison',
      ).argParser(names),
    )
    .addOption(list('--agents <numbers>', 'numbers of agents, with commas', 1, agentsAtMost, '100,1000'))
    .addOption(list('--seeds <numbers>', 'seeds; figures are means over them', 0, seedAtMost, '1,2,3'))
    .addOption(
      new Option('--policies <names>', 'policies, or "ablation" for this system without each of its parts')
        .argParser(names)
        .default(names(usualPolicies), usualPolicies),
    )
    .addOption(durationOption('--duration <time>', 'simulated time, warm-up included').default(1_200_000, '1200'))
    .addOption(durationOption('--warmup <time>', 'simulated time that is not counted').default(300_000, '300'))
    .option('--history <name>', 'hono, vue or express, or a file of facts from bench history', 'hono')
    .addOption(list('--redo <percents>', 'least share of the work that a repair does again', 1, 100, '10'))
    .addOption(numberOption('--open <number>', 'open tasks on offer for each agent', 1, 1_000).default(3))
    .addOption(numberOption('--open-most <number>', 'open tasks on offer for all agents at most', 1, 10_000_000))
    .addOption(numberOption('--test-ms <ms>', 'live mode: how long each agent tests', 0, 86_400_000).default(0))
    .addOption(
      numberOption('--jobs <number>', 'runs at the same time (default: a run for each core)', 1, 256).default(
        availableParallelism(),
        'one for each core',
      ),
    )
    .option('--out <file>', 'write rows and assumptions there as JSON')
    .option('--chart <file>', 'write a page with charts there')
    .option('--json', 'print JSON')
    .option('--markdown', 'print the table in Markdown')
    .action((options: SimOptions, command: Command) => {
      const isGiven = (name: keyof SimOptions) => command.getOptionValueSource(name) === 'cli';
      if (options.scenario === undefined) return simulate(settings, withSizes(options, isGiven));
      return tellScenarios(settings, options, options.scenario, isGiven);
    });
}

type IsGiven = (name: keyof SimOptions) => boolean;

/** What was not said otherwise follows from `--sizes`. */
function withSizes(options: SimOptions, isGiven: IsGiven): SimOptions {
  if (options.sizes !== true) return options;
  const chosen = Object.entries(sizes).filter(([name]) => !isGiven(name as keyof typeof sizes));
  return { ...options, ...Object.fromEntries(chosen) };
}

async function tellScenarios(
  settings: CommandSettings,
  options: SimOptions,
  names: readonly string[],
  isGiven: IsGiven,
): Promise<void> {
  const { agents: counts, seeds, jobs, json } = options;
  const [agents = null, another] = isGiven('agents') ? counts : [];
  if (another !== undefined)
    throw new CommandFailure('a scenario has one number of agents', 'give --agents one number');
  requireFolders(settings, options);
  await runScenarioChoice(settings, {
    names,
    seeds: isGiven('seeds') ? seeds : [1],
    agents,
    jobs,
    out: options.out,
    json: json === true,
  });
}

/** Refuses files in folders that are not there. */
function requireFolders(settings: CommandSettings, { out, chart }: SimOptions): void {
  for (const file of [out, chart]) requireFolderOf(settings, file);
}

async function simulate(settings: CommandSettings, options: SimOptions): Promise<void> {
  const { configuration, output } = settings;
  requireFolders(settings, options);
  // Loaded only here: other commands do not need the simulator.
  const { assumptionsOf, chartPage, sizeChecks } = await import('@firetrident/bench');
  const plan = await planOf(options, configuration.directory);
  const rows = await runWithProgress(settings, plan, options.jobs);
  const checks = options.sizes === true ? sizeChecks(rows) : [];
  const report: SimReport = { rows, assumptions: assumptionsOf(plan), ...(checks.length > 0 ? { checks } : {}) };
  await writeResult(settings, options.out, report);
  const { chart } = options;
  if (chart !== undefined) await writeFile(resolve(configuration.directory, chart), chartPage(report));
  if (options.json === true) output.write(`${JSON.stringify(report)}\n`);
  else output.write(options.markdown === true ? comparisonMarkdown(report) : comparisonText(report));
  if (checks.length === 0) return;
  if (options.json !== true && options.markdown !== true) output.write(`\n${checksText(checks, configuration.colour)}`);
  if (checks.some(({ holds }) => !holds)) settings.end(exitCodes.failure);
}

/** What the options ask for, refused in words when it cannot be run. */
async function planOf(options: SimOptions, directory: string): Promise<SimPlan> {
  const { mode, agents, seeds, duration, warmup, redo, open, openMost, testMs } = options;
  if (warmup >= duration) {
    throw new CommandFailure('the warm-up is as long as the whole run', 'nothing would be counted: raise --duration');
  }
  return {
    mode,
    policies: await readPolicies(options),
    agents,
    seeds,
    redoPercents: redo,
    durationMs: duration,
    warmupMs: warmup,
    openPerAgent: open,
    openAtMost: openMost ?? Number.POSITIVE_INFINITY,
    testMs,
    history: mode === 'live' ? null : await readHistory(options.history, directory),
  };
}

async function readPolicies({ policies, mode }: SimOptions): Promise<SimPlan['policies']> {
  const { colonyPolicies, isColonyPolicy, policyNames } = await import('@firetrident/simulator');
  const named = [...new Set(policies.flatMap((name) => (name === 'ablation' ? colonyPolicies : [name])))];
  const read = named.map((name) => {
    const policy = policyNames.find((each) => each === name);
    if (policy !== undefined) return policy;
    throw new CommandFailure(`there is no policy ${JSON.stringify(name)}`, `choose from ${policyNames.join(', ')}`);
  });
  if (mode === 'history') return read;
  // Without work times only the costs of the writer and of messages count, and those are fitted for this system alone.
  const own = read.filter(isColonyPolicy);
  if (own.length > 0) return own;
  throw new CommandFailure(
    'live mode compares this system with itself only',
    'leave the other policies to history mode',
  );
}

async function readHistory(name: string, directory: string): Promise<NonNullable<SimPlan['history']>> {
  const { bundledHistories, readHistoryText } = await import('@firetrident/bench');
  const { parseHistory } = await import('@firetrident/simulator');
  const bundled = (bundledHistories as readonly string[]).includes(name);
  const hint = `name ${bundledHistories.join(', ')}, or a file that bench history wrote`;
  let text: string;
  try {
    text = await readHistoryText(bundled ? name : resolve(directory, name));
  } catch (error) {
    throw new CommandFailure(`the history ${name} cannot be read: ${(error as Error).message}`, hint);
  }
  const parsed = parseHistory(text);
  if (parsed.ok) return { name, text };
  throw new CommandFailure(`${name} is no history: line ${parsed.error.line}: ${parsed.error.message}`, hint);
}

async function runWithProgress(settings: CommandSettings, plan: SimPlan, jobs: number): Promise<SimReport['rows']> {
  const { RunFailedError, runPlan } = await import('@firetrident/bench');
  const line = writtenProgress(settings);
  const stopping = interruption();
  const progress = (share: number, run: SimRun) => {
    const last = `${run.policy}, ${run.agents} agents, seed ${run.seed}`;
    line.show(`${Math.floor(100 * share)} % simulated (${last})`);
  };
  try {
    return await runPlan(plan, { jobs, signal: stopping.signal, progress });
  } catch (error) {
    if (stopping.signal.aborted) throw new CommandFailure('interrupted: nothing was written', '', 130);
    if (error instanceof RunFailedError) throw new CommandFailure(error.message, 'run it alone with --jobs 1');
    throw error;
  } finally {
    line.end();
    stopping.forget();
  }
}
