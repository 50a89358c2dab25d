// The driver of the Agent Client Protocol, with an agent made by the official library in a process of its own.

import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { runAcpTurn } from './acp-driver.ts';
import type { Activity, TurnSettings } from './driver.ts';
import { CommandUnusableError } from './process-group.ts';

const fixture = fileURLToPath(new URL('scripted-acp-agent.fixture.ts', import.meta.url));
const place = temporaryDirectory('firetrident-acp-');
afterAll(() => place.remove());

let directory = '';
let turns = 0;
beforeEach(() => {
  turns += 1;
  directory = join(place.path, `checkout-${turns}`);
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.txt'), 'one\ntwo\n');
});

async function turn(steps: readonly string[], more: Partial<TurnSettings> = {}) {
  const activities: Activity[] = [];
  const end = await runAcpTurn({
    command: [process.execPath, '--disable-warning=ExperimentalWarning', fixture],
    directory,
    environment: {},
    input: '',
    prompt: `Title\n${steps.map((step) => `do ${step}`).join('\n')}\n`,
    permissions: 'edits',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onActivity: (activity) => activities.push(activity),
    ...more,
  });
  return { end, activities };
}

const said = (name: string) => readFileSync(join(directory, name), 'utf8');

describe('one turn', () => {
  test('serves and takes files, reports what was done, and hears what it cost', async () => {
    const { end, activities } = await turn(['read a.txt', 'write deep/b.txt hello', 'look a.txt', 'name-later c.txt']);
    expect(end).toMatchObject({ code: 0, problem: null, timedOut: false, usage: { tokens: 1_234, costUsd: 0.25 } });
    expect(said('deep/b.txt')).toBe('hello\n');
    expect(activities).toEqual([
      { kind: 'read', path: join(directory, 'a.txt') },
      { kind: 'edit', path: join(directory, 'deep/b.txt') },
      { kind: 'read', path: join(directory, 'a.txt') },
      { kind: 'read', path: join(directory, 'c.txt') },
    ]);
  });

  test('tokens that are told beside the protocol count too', async () => {
    writeFileSync(join(directory, 'quota'), '');
    expect((await turn([])).end.usage).toEqual({ tokens: 321, costUsd: 0.25 });
  });

  test('[AC1] nothing outside the checkout is served, by path, by link, or in git’s folder', async () => {
    symlinkSync(place.path, join(directory, 'link'));
    // Links whose targets are not there yet: to write to one would make its target.
    const targets = [join(place.path, `absent-${turns}`), join(place.path, `absent-folder-${turns}`)];
    symlinkSync(targets[0] as string, join(directory, 'dangling'));
    symlinkSync(targets[1] as string, join(directory, 'dangling-folder'));
    symlinkSync('dangling', join(directory, 'dangling-twice'));
    const paths = [
      join(directory, 'dangling'),
      join(directory, 'dangling-twice'),
      join(directory, 'dangling-folder/escape'),
      '/etc/firetrident',
      join(directory, '../escape'),
      join(directory, 'link/escape'),
      join(directory, '.git/config'),
    ];
    const { end, activities } = await turn(paths.map((path) => `outside ${path}`));
    expect(end.problem).toBeNull();
    expect(said('refused.txt').trim().split('\n')).toEqual(paths);
    expect([...paths, ...targets].some((path) => existsSync(path))).toBe(false);
    expect(activities).toEqual([]);
  });

  test.each([
    ['all', 'granted\n', 'granted\n'],
    ['edits', 'granted\n', 'refused\n'],
    ['none', 'refused\n', 'refused\n'],
  ] as const)('[AC2] permission policy %s', async (permissions, edit, execute) => {
    const { end, activities } = await turn(['ask edit change a file', 'ask execute run a program'], { permissions });
    expect(end.problem).toBeNull();
    expect([said('edit-asked.txt'), said('execute-asked.txt')]).toEqual([edit, execute]);
    expect(activities).toMatchObject([
      { kind: 'permission', name: 'change a file', granted: edit === 'granted\n' },
      { kind: 'permission', name: 'run a program', granted: execute === 'granted\n' },
    ]);
  });

  test('[AC4] agents that are known to act unasked are told to ask, unless everything is granted', async () => {
    const named = (name: string) => {
      const program = join(directory, name);
      writeFileSync(
        program,
        `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${fixture}'\n`,
      );
      chmodSync(program, 0o755);
      return [program];
    };
    const asked = ['tell OPENCODE_PERMISSION'];
    await turn(asked, { command: named('opencode') });
    expect(JSON.parse(said('told.txt'))).toMatchObject({ bash: 'ask', edit: 'ask' });
    expect(existsSync(join(directory, 'mode.txt'))).toBe(false);
    await turn(asked, { command: named('opencode'), permissions: 'all' });
    expect(said('told.txt')).toBe('nothing\n');
    await turn([], { command: named('codex-acp') });
    expect(said('mode.txt')).toBe('read-only\n');
  });

  test('[AC1] a link inside the checkout is written through', async () => {
    symlinkSync('a.txt', join(directory, 'alias'));
    expect((await turn(['write alias new'])).end.problem).toBeNull();
    expect(said('a.txt')).toBe('new\n');
  });

  test('[AC2] under the policy `none` no file is served', async () => {
    const path = join(directory, 'b.txt');
    const { end, activities } = await turn([`outside ${path}`], { permissions: 'none' });
    expect(end.problem).toBeNull();
    expect(said('refused.txt')).toBe(`${path}\n`);
    expect(existsSync(path)).toBe(false);
    expect(activities).toEqual([]);
    expect((await turn(['read a.txt'], { permissions: 'none' })).end.problem).not.toBeNull();
  });

  test('an agent that refuses, fails or crashes is told apart from one that is done', async () => {
    writeFileSync(join(directory, 'refuse'), '');
    expect((await turn([])).end.problem).toBe('the agent stopped: refusal');
    expect((await turn(['nonsense'])).end.problem).not.toBeNull();
    expect((await turn(['crash'])).end).toMatchObject({ code: 9, problem: expect.any(String) });
    await expect(turn([], { command: ['no-such-agent-here'] })).rejects.toThrow(CommandUnusableError);
    expect((await turn([], { command: ['cat'], timeoutMs: 500 })).end.problem).not.toBeNull();
  });

  test('[AC3] a turn that is stopped is cancelled first, and its process is gone after it', async () => {
    const stopping = new AbortController();
    const running = turn(['wait'], { signal: stopping.signal });
    while (!existsSync(join(directory, 'waiting.txt'))) await new Promise((resolve) => setTimeout(resolve, 20));
    stopping.abort();
    expect((await running).end.problem).toBe('the agent stopped: cancelled');
    expect(said('cancelled.txt')).toBe('heard\n');
    expect(() => process.kill(Number(said('waiting.txt')), 0)).toThrow(/ESRCH/);
  });
});
