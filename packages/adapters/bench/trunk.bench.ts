// Landing commits per second of the production trunk writer, beside the raw limit and stock git, in the same run.
//
// All contenders land the same cycles, one after another within each round, so that a busy moment hits them alike.
// Not in the time of an own cycle: freeing the two ref files that it replaced, which the disk thread does afterwards (in
// the daemon while the end of the cycle is journalled).
// Every figure is MEASURED; compare ratios, not runs. Usage: node trunk.bench.ts [--cycles N] [--plumbing N] [--data DIR] [--out FILE]

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OwnWriter, objectsOf, RawLimit, type StepTimes } from './trunk-contenders.ts';
import { checkWithGit, FastImport, Plumbing } from './trunk-git-contenders.ts';
import { type BenchCommit, makeCycles } from './trunk-workload.ts';

const proposalsPerCycle = 200;
/** Pause before each contender, so that none waits for what the disk still does for another. */
const settleMs = 15;
/** Cycles at the start that warm up code and caches and are not counted. */
const warmUpCycles = 40;

/** What `--out` writes, for `firetrident bench report`. */
const rows: { name: string; value: number; unit: string }[] = [];

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function timed(action: () => void | Promise<void>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

interface Rounds {
  readonly own: number[];
  readonly raw: number[];
  readonly fastImport: number[];
  readonly plumbing: number[];
}

async function measure(data: string, cycles: number, perCommit: number, plumbingCommits: number): Promise<void> {
  const directory = mkdtempSync(join(data, 'firetrident-bench-'));
  mkdirSync(join(directory, 'raw'));
  const own = new OwnWriter(join(directory, 'own.git'));
  const raw = new RawLimit(join(directory, 'raw'));
  const fastImport = new FastImport(join(directory, 'fast-import.git'));
  await fastImport.seed();
  const plumbing = new Plumbing(join(directory, 'plumbing.git'));
  const work = makeCycles(cycles + warmUpCycles, proposalsPerCycle, perCommit);
  const rounds: Rounds = { own: [], raw: [], fastImport: [], plumbing: [] };
  let packBytes = 0;
  let plumbed = 0;
  for (const [index, cycle] of work.entries()) {
    await setTimeout(settleMs);
    const prepared = own.land(cycle);
    packBytes = prepared.pack.length;
    const objects = objectsOf(prepared);
    await setTimeout(settleMs);
    const rawMs = await timed(() => raw.land(objects));
    await setTimeout(settleMs);
    const fastImportMs = await timed(() => fastImport.land(cycle));
    if (index < warmUpCycles) continue;
    rounds.own.push(totalMs(own.steps.at(-1)));
    rounds.raw.push(rawMs);
    rounds.fastImport.push(fastImportMs);
    if (plumbed < plumbingCommits) {
      plumbed += 1;
      rounds.plumbing.push(await timed(() => plumbing.land(cycle[0] as BenchCommit)));
    }
  }
  await fastImport.close();
  report(rounds, own.steps.slice(-cycles), perCommit, packBytes);
  const commits = work.reduce((sum, cycle) => sum + cycle.length, 0);
  console.log(`  stock git, own writer:  ${checkWithGit(join(directory, 'own.git'), commits)}`);
  console.log(`  stock git, fast-import: ${checkWithGit(fastImport.directory, commits)}`);
  console.log(`  stock git, plumbing:    ${checkWithGit(plumbing.directory, plumbed)}`);
  rmSync(directory, { recursive: true });
}

function totalMs(steps: StepTimes | undefined): number {
  return steps ? steps.build + steps.verify + steps.write + steps.refs : 0;
}

function report(rounds: Rounds, steps: readonly StepTimes[], perCommit: number, bytes: number): void {
  const commits = Math.ceil(proposalsPerCycle / perCommit);
  const line = (name: string, times: readonly number[], commitsPerTime: number, proposalsPerTime: number): void => {
    const median = quantile(times, 0.5);
    const rate = (count: number): string =>
      Math.round((count * 1000) / median)
        .toLocaleString('en')
        .padStart(9);
    const spread = `p10 ${quantile(times, 0.1).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(2)}`;
    const value = (proposalsPerTime * 1000) / median;
    rows.push({ name: `${name}, ${perCommit} proposal(s) per commit`, value, unit: 'proposals/s' });
    console.log(
      `  ${name.padEnd(24)}${median.toFixed(2).padStart(9)} ms${rate(commitsPerTime)}/s${rate(proposalsPerTime)}/s   (${spread} ms)`,
    );
  };
  console.log(
    `\n${perCommit} proposal(s) per commit: ${commits} commits, ${(bytes / 1024).toFixed(0)} KiB per cycle, ${rounds.own.length} cycles`,
  );
  console.log(`  ${''.padEnd(24)}   median     commits  proposals`);
  line('own writer, full fsync', rounds.own, commits, proposalsPerCycle);
  line('raw limit', rounds.raw, commits, proposalsPerCycle);
  line('tuned fast-import', rounds.fastImport, commits, proposalsPerCycle);
  line('plumbing, 1 commit', rounds.plumbing, 1, perCommit);
  const ratios = (other: readonly number[]): number[] => other.map((ms, index) => ms / (rounds.own[index] as number));
  const percent = quantile(ratios(rounds.raw), 0.5) * 100;
  console.log(`  of the raw limit: ${percent.toFixed(1)} % (median of the rounds' ratios)`);
  console.log(`  against tuned fast-import: ${quantile(ratios(rounds.fastImport), 0.5).toFixed(2)} times`);
  rows.push({ name: `own writer of the raw limit, ${perCommit} proposal(s) per commit`, value: percent, unit: '%' });
  const step = (name: keyof StepTimes): string =>
    `${name} ${quantile(
      steps.map((times) => times[name]),
      0.5,
    ).toFixed(2)}`;
  console.log(`  own cycle, medians in ms: ${step('build')}, ${step('verify')}, ${step('write')}, ${step('refs')}`);
}

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '60' },
    plumbing: { type: 'string', default: '5' },
    data: { type: 'string', default: tmpdir() },
    out: { type: 'string' },
    'per-commit': { type: 'string', default: '6,1' },
  },
});
console.log('MEASURED. Each round: one cycle of 200 proposals by every contender in turn, on the same disk.');
for (const perCommit of options['per-commit'].split(',').map(Number)) {
  await measure(options.data, Number(options.cycles), perCommit, Number(options.plumbing));
}
if (options.out !== undefined) {
  const { cycles, 'per-commit': perCommit } = options;
  const command = `npm run bench:trunk -- --cycles ${cycles} --per-commit ${perCommit}`;
  writeFileSync(options.out, `${JSON.stringify({ figures: 'MEASURED', bench: 'trunk', command, rows }, null, 1)}\n`);
}
