import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { gone } from '../../../tests/support/processes.ts';
import { type CommandSettings, runCommand } from './command.ts';
import { CommandUnusableError } from './process-group.ts';

const place = temporaryDirectory('firetrident-command-');
afterAll(() => place.remove());

function run(command: readonly string[], more: Partial<CommandSettings> = {}) {
  return runCommand({
    command,
    directory: place.path,
    environment: {},
    input: '',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  });
}

describe('a command', () => {
  it('gets its environment and standard input, and its exit code and output are told', async () => {
    const end = await run(['sh', '-c', 'cat; echo "$FT_INTENT" >&2; exit 3'], {
      environment: { FT_INTENT: 'int_1' },
      input: 'the title\n',
    });
    expect(end).toEqual({ code: 3, timedOut: false, output: expect.stringContaining('the title') });
    expect(end.output).toContain('int_1');
  });

  it('is given to a shell when it is one text', async () => {
    expect((await run(['echo one && echo two'])).output).toBe('one\ntwo\n');
  });

  it('may end without reading its input', async () => {
    expect((await run(['true'], { input: 'x'.repeat(1_000_000) })).code).toBe(0);
  });

  it('that cannot be run at all is told apart from one that fails', async () => {
    for (const command of [['no-such-program-here', 'x'], ['no-such-program-here'], ['sh', '-c', 'exec /etc/hostname']])
      await expect(run(command)).rejects.toThrow(CommandUnusableError);
    expect(await run(['exit 125'])).toMatchObject({ code: 125 });
  });

  it('keeps only the end of its output', async () => {
    const end = await run(['sh', '-c', 'seq 1 200000; echo last']);
    expect(end.output.length).toBeLessThanOrEqual(16_384);
    expect(end.output.endsWith('last\n')).toBe(true);
  });

  it('[CM1] is ended with its whole group when its time is over', async () => {
    const end = await run(['sh', '-c', 'sleep 1000 & echo $! > child; wait'], { timeoutMs: 300 });
    expect(end).toMatchObject({ timedOut: true });
    await gone(Number(readFileSync(join(place.path, 'child'), 'utf8')));
  });

  it('[CM1] is ended when the runner stops, also when that was before it started', async () => {
    const stopping = new AbortController();
    const running = run(['sh', '-c', 'touch started; sleep 1000'], { signal: stopping.signal });
    while (!existsSync(join(place.path, 'started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    stopping.abort();
    expect((await running).code).not.toBe(0);
    expect((await run(['sleep', '1000'], { signal: stopping.signal })).code).not.toBe(0);
  });

  it('[CM1] takes what it left running with it', async () => {
    const end = await run(['sh', '-c', 'sleep 1000 & echo $!']);
    expect(end.code).toBe(0);
    await gone(Number(end.output));
  });
});
