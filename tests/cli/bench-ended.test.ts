// A run that is ended from outside ends its daemon, and tidies up when it can.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { startCommandLine, until } from './command-line.ts';

let directory: string;
let remove: () => void;
beforeEach(() => {
  ({ path: directory, remove } = temporaryDirectory('firetrident-bench-ended-'));
});
afterEach(() => remove());

/** Whether the run's daemon is there: its data directory is among its arguments. */
function isDaemonThere(): boolean {
  return execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).includes(`--data ${directory}/`);
}

/** Starts a run that would go on for long, and waits until its colony is there. */
async function startRun() {
  const args = ['bench', 'live', '--agents', '5', '--duration', '600', '--ramp', '1', '--workers', '1'];
  const run = startCommandLine(args, { directory, environment: { TMPDIR: directory } });
  const hasColony = (name: string) => existsSync(join(directory, name, 'colonies'));
  await until(() => readdirSync(directory).some(hasColony) && isDaemonThere());
  return run.process;
}

test('[OD1] SIGTERM to the run ends its daemon and takes the data along', async () => {
  const run = await startRun();
  run.kill('SIGTERM');
  const [, signal] = await once(run, 'exit');
  expect(signal).toBe('SIGTERM');
  expect(isDaemonThere()).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

test('[OD2] kill -9 of the run ends its daemon', async () => {
  const run = await startRun();
  run.kill('SIGKILL');
  await until(() => !isDaemonThere());
});
