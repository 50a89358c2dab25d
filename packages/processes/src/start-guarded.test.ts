// A program that is guarded does not begin without its guard.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { gone } from '../../../tests/support/processes.ts';
import { startGuarded } from './start-guarded.ts';

/** An owner that is killed right after it started a program, whose number it has written down. */
function killedBetween(number: string, command: readonly string[]): string {
  const module = new URL('start-guarded.ts', import.meta.url).href;
  return `
    import { createRequire, syncBuiltinESMExports } from 'node:module';
    import { writeFileSync } from 'node:fs';
    const children = createRequire(${JSON.stringify(module)})('node:child_process');
    const { spawn } = children;
    children.spawn = (...args) => {
      const child = spawn(...args);
      writeFileSync(${JSON.stringify(number)}, String(child.pid));
      process.kill(process.pid, 'SIGKILL');
      return child;
    };
    syncBuiltinESMExports();
    const { startGuarded } = await import(${JSON.stringify(module)});
    startGuarded(${JSON.stringify(command)});
  `;
}

test('[SG1] a program never begins when its owner is killed before the group is guarded', async () => {
  const place = temporaryDirectory('firetrident-guarded-');
  const [number, started] = [join(place.path, 'number'), join(place.path, 'begun')];
  const script = killedBetween(number, ['touch', started]);
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const owner = spawn(process.execPath, flags, { stdio: 'inherit' });
  const [, signal] = await once(owner, 'exit');
  expect(signal).toBe('SIGKILL');
  await gone(Number(readFileSync(number, 'utf8')));
  expect(existsSync(started)).toBe(false);
  place.remove();
});

test.each([
  [['no-such-program-here'], 127],
  [[fileURLToPath(import.meta.url)], 126],
  [['sh', '-c', 'exit 3'], 3],
])('a program %j ends with %i', async (command, code) => {
  const { child } = startGuarded(command);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [ended] = await once(child, 'close');
  expect(ended).toBe(code);
  expect(said === '').toBe(code === 3);
});
