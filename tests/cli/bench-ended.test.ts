// A run that is ended from outside ends its daemon, and tidies up when it can.

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveResult } from '@firetrident/bench';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { isRunning } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { startCommandLine } from './command-line.ts';

let directory: string;
let remove: () => void;
beforeEach(() => {
  ({ path: directory, remove } = temporaryDirectory('firetrident-bench-ended-'));
});
afterEach(() => remove());

/** Whether the run's daemon is there: its data directory is among its arguments. */
function isDaemonThere(): boolean {
  return isRunning(`--data ${directory}/`);
}

const live = ['live', '--agents', '5', '--duration', '600', '--ramp', '1', '--workers', '1', '--out', 'result.json'];

/** Starts a run that would go on for long, and waits until its colony is there. */
async function startRun(args: readonly string[]) {
  const run = startCommandLine(['bench', ...args], { directory, environment: { TMPDIR: directory } });
  const hasColony = (name: string) => existsSync(join(directory, name, 'colonies'));
  await until(() => readdirSync(directory).some(hasColony) && isDaemonThere());
  return run.process;
}

/** Whether trunk has moved: the colony's repository has a reference with its landings' notes. */
function hasLandings(): boolean {
  const [data = ''] = dataLeft();
  const colonies = join(directory, data, 'colonies');
  const [colony = ''] = existsSync(colonies) ? readdirSync(colonies) : [];
  return existsSync(join(colonies, colony, 'trunk.git', 'refs', 'notes', 'firetrident'));
}

function dataLeft(): string[] {
  return readdirSync(directory).filter((name) => name.startsWith('firetrident-bench-'));
}

test('[OD1] SIGTERM to a command that does not listen ends its daemon and takes the data along', async () => {
  const run = await startRun(['cascade']);
  run.kill('SIGTERM');
  const [, signal] = await once(run, 'exit');
  expect(signal).toBe('SIGTERM');
  expect(isDaemonThere()).toBe(false);
  expect(dataLeft()).toEqual([]);
});

test('[OD1] SIGTERM to a run that listens leaves the daemon to it until its result is written', async () => {
  const run = await startRun(live);
  // The run is under way when its agents are.
  await until(() => hasLandings());
  run.kill('SIGTERM');
  await once(run, 'exit');
  const result = JSON.parse(readFileSync(join(directory, 'result.json'), 'utf8')) as LiveResult;
  expect(result.stoppedEarly).toBe(true);
  expect(isDaemonThere()).toBe(false);
  expect(dataLeft()).toEqual([]);
});

test('[OD2] kill -9 of the run ends its daemon', async () => {
  const run = await startRun(live);
  run.kill('SIGKILL');
  await until(() => !isDaemonThere());
});
