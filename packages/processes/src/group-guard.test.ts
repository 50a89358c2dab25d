// Groups that are guarded end with the process that guards them, however it ends.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAlive } from '../../../tests/support/processes.ts';
import { until } from '../../../tests/support/until.ts';

const guard = fileURLToPath(new URL('group-guard.ts', import.meta.url));

/** A runner that guards three groups, one of which it has forgotten again; prints their numbers. */
const runner = `
import { spawn } from 'node:child_process';
import { forgetGroup, guardGroup } from ${JSON.stringify(guard)};
const start = () => spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).pid;
const groups = [start(), start(), start()];
for (const group of groups) guardGroup(group);
forgetGroup(groups[1]);
console.log(groups.join(' '));
setInterval(() => undefined, 1_000);
`;

/** Starts the runner; answers it, and the groups that it printed. */
async function startRunner(): Promise<{ child: ChildProcess; groups: number[] }> {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', runner];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, groups: line.toString().trim().split(' ').map(Number) };
}

/** The guard of a runner: the one of its children that is a shell. */
function guardOf({ pid }: ChildProcess): number | undefined {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  const rows = stdout.split('\n').map((row) => row.trim().split(/\s+/));
  const row = rows.find(([, parent, name]) => Number(parent) === pid && /(^|\/)(da|ba)?sh$/.test(name ?? ''));
  return row === undefined ? undefined : Number(row[0]);
}

test.each([false, true])('[GG1] what is guarded ends after kill -9, guard ended before: %s', async (isGuardEnded) => {
  const { child, groups } = await startRunner();
  const [first = 0, forgotten = 0, last = 0] = groups;
  expect(groups.every(isAlive)).toBe(true);
  if (isGuardEnded) {
    const before = guardOf(child) as number;
    process.kill(before, 'SIGKILL');
    await until(() => guardOf(child) !== undefined && guardOf(child) !== before);
  }
  child.kill('SIGKILL');
  await until(() => !isAlive(first) && !isAlive(last));
  expect(isAlive(forgotten)).toBe(true);
  process.kill(forgotten, 'SIGKILL');
});
