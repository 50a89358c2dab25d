import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { behindMain } from './thread-priority.ts';

const fixture = fileURLToPath(new URL('./thread-priority.fixture.ts', import.meta.url));

/** Where the threads of the fixture's process stand. */
async function threadsOf(command: string, ...before: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(command, [...before, '--disable-warning=ExperimentalWarning', fixture]);
  return JSON.parse(stdout);
}

describe('threads that step back', () => {
  it('[TP1] are the one that asks, and the helpers of the runtime; the main thread stays where it was', async () => {
    const main = getPriority();
    const [trunk, runtime] = [main + behindMain.trunk, [main + behindMain.runtime]];
    expect(await threadsOf(process.execPath)).toEqual({ main, trunk, runtime });
  });

  it('[TP3] count from the main thread, also where that stands back itself, and end with the last step', async () => {
    const main = Math.min(19, getPriority() + 16);
    const runtime = [Math.min(19, main + behindMain.runtime)];
    expect(await threadsOf('nice', '-n', '16', process.execPath)).toEqual({ main, trunk: 19, runtime });
  });
});
