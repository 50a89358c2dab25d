// Groups that are guarded end with the process that guards them, however it ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process: that is what is asked.
    return false;
  }
}

test('[GG1] what is guarded is ended after kill -9, what was forgotten is not', async () => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', runner],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const [first = 0, forgotten = 0, last = 0] = line.toString().trim().split(' ').map(Number);
  expect([first, forgotten, last].every(isAlive)).toBe(true);
  child.kill('SIGKILL');
  while (isAlive(first) || isAlive(last)) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isAlive(forgotten)).toBe(true);
  process.kill(forgotten, 'SIGKILL');
});
