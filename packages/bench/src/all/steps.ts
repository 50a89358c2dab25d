// Everything that is measured and simulated for a report, step by step: each writes one file.
//
//   ST1. A step whose file holds its result already is not done again, unless asked to.

import { readFile } from 'node:fs/promises';
import { ResultFileError, readResult } from '../results/result-file.ts';

/** One step. `bench` steps are commands of the command line, `script` steps benches of a package, in a checkout only. */
export interface Step {
  /** Name of the result's file, without its ending. */
  readonly name: string;
  readonly kind: 'bench' | 'script' | 'notes';
  /** After `firetrident bench`, or the path of a script in the checkout with its arguments; of the load for `notes`. */
  readonly args: readonly string[];
}

const peerNames = 'locks-fifo,fifo-batch,speculative,rebase-push';
const checks = ['--check-ms', '1000', '--failure-rate', '10', '--flake-rate', '2', '--systems', peerNames];

const full: readonly Step[] = [
  ...[10, 50, 100, 500, 1_000, 2_000, 5_000].map((agents) =>
    bench(`live-${agents}`, `live --agents ${agents} --duration 45`),
  ),
  bench('live-10000', 'live --agents 10000 --ramp 25 --duration 70 --workers 2'),
  bench('live-1000-hot', 'live --agents 1000 --duration 45 --hot 20'),
  bench('live-git', 'live --agents 50 --git 8 --duration 60 --work-ms 2000'),
  bench('calibrate', 'calibrate .'),
  bench('peers', 'peers --agents 1000 --duration 20'),
  bench('peers-hot', 'peers --agents 1000 --duration 20 --hot 20'),
  bench('peers-hot-work', 'peers --agents 1000 --duration 20 --hot 20 --work-ms 2000'),
  { name: 'peers-checks', kind: 'bench', args: [...words('peers --agents 1000 --duration 30'), ...checks] },
  bench('sim', 'sim --agents 100,1000,2000'),
  bench('scenarios', 'sim --scenario all'),
  bench('cascade', 'cascade'),
  ...['batchcost', 'hot', 'starve', 'red-trunk'].map((story) => bench(`story-${story}`, story)),
  bench('hostile', 'hostile'),
  { name: 'notes-check', kind: 'notes', args: words('--agents 1000 --duration 20 --ramp 5') },
  { name: 'trunk', kind: 'script', args: words('packages/adapters/bench/trunk.bench.ts') },
  { name: 'take', kind: 'script', args: words('packages/core/bench/take.bench.ts') },
];

const quick: readonly Step[] = [
  bench('live-50', 'live --agents 50 --duration 6 --ramp 1'),
  bench('live-200', 'live --agents 200 --duration 6 --ramp 1'),
  bench('peers', 'peers --agents 50 --duration 4'),
  { name: 'peers-checks', kind: 'bench', args: [...words('peers --agents 50 --duration 4'), ...checks] },
  bench('sim', 'sim --agents 20,100 --seeds 1 --duration 300 --warmup 60'),
  bench('scenarios', 'sim --scenario red-trunk --agents 10'),
  bench('cascade', 'cascade --readers 10 --watch 20'),
  { name: 'notes-check', kind: 'notes', args: words('--agents 50 --duration 4 --ramp 1') },
  { name: 'trunk', kind: 'script', args: words('packages/adapters/bench/trunk.bench.ts --cycles 5') },
];

/** The steps, in their order: half an hour of figures, or a few minutes to see that all works. */
export function reportSteps(isQuick: boolean): readonly Step[] {
  return isQuick ? quick : full;
}

/** Whether a step's file holds a result (ST1). */
export async function isDone(file: string): Promise<boolean> {
  try {
    readResult(file, await readFile(file, 'utf8'));
    return true;
  } catch (error) {
    if (error instanceof ResultFileError || (error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function bench(name: string, command: string): Step {
  return { name, kind: 'bench', args: words(command) };
}

function words(text: string): readonly string[] {
  return text.split(' ');
}
