// `firetrident run` with agents that speak: real child processes, a real daemon, and what is left when one is killed.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { git } from '../support/git-repository.ts';
import { isAlive } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { startCommandLine } from './command-line.ts';
import { type MortalScene, mortalScene } from './scene.ts';

const agent = fileURLToPath(new URL('../../packages/agents/src/scripted-acp-agent.fixture.ts', import.meta.url));
const acp = ['--driver', 'acp', '--', process.execPath, '--disable-warning=ExperimentalWarning', agent];

// Each test starts several processes one after the other, which a busy machine takes long for.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scene: MortalScene;
beforeAll(async () => {
  scene = await mortalScene({ 'README.md': '# Drivers\n', 'src/a.txt': 'a\n' });
  await scene.run(0, ['init', '--id', 'web']);
});
afterAll(() => scene.remove());

async function addIntent(title: string, body: string): Promise<string> {
  return (await scene.json(0, ['intents', 'add', title, '--body', body])).intents[0].id;
}

/** Runs one agent until the backlog is empty; the summary. */
async function work(args: readonly string[]) {
  return JSON.parse((await scene.run(0, ['run', '--json', '--agents', '1', ...args])).output);
}

/** The lineage note of the newest commit on trunk. */
function note() {
  const repository = join(scene.repository, '.firetrident/colonies/web/trunk.git');
  return JSON.parse(git(repository, ['notes', '--ref=firetrident', 'show', 'main'])).landings[0];
}

test('an agent over ACP works in its checkout: what it wrote lands, what it read is in the note, what it used is told', async () => {
  await addIntent('Write hello', 'do read src/a.txt\ndo write hello.txt hello\n');
  const result = await work(acp);
  expect(result).toMatchObject({ landed: 1, failed: 0, tokens: 1_234, costUsd: 0.25 });
  expect(scene.trunkFile('web', 'hello.txt')).toBe('hello\n');
  expect(note().reads).toContainEqual(expect.objectContaining({ path: 'src/a.txt' }));
});

test('an agent that prints JSON lines does the same', async () => {
  await addIntent('Write more', 'More.');
  const lines = [
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', name: 'Read', input: { file_path: 'README.md' } }] },
    },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      total_cost_usd: 0.5,
      usage: { input_tokens: 7, output_tokens: 3 },
    },
  ];
  const script = join(scene.directory, 'printing.sh');
  const printed = lines.map((line) => `echo '${JSON.stringify(line)}'`).join('\n');
  writeFileSync(script, `grep -q 'Write more' || exit 1\necho more > more.txt\n${printed}\n`);
  const result = await work(['--driver', 'jsonl', '--', 'sh', script]);
  expect(result).toMatchObject({ landed: 1, tokens: 10, costUsd: 0.5 });
  expect(scene.trunkFile('web', 'more.txt')).toBe('more\n');
  expect(note().reads).toContainEqual(expect.objectContaining({ path: 'README.md' }));
});

test('an agent that is not on the path is named', async () => {
  const intent = await addIntent('For nobody', 'Nothing.');
  const { errors } = await scene.run(1, ['run', '--agents', '1', '--driver', 'acp', '--', 'no-such-agent-here']);
  expect(errors).toContain('no-such-agent-here');
  expect(await scene.json(0, ['intents', 'list', '--state', 'open'])).toMatchObject({ intents: [{ id: intent }] });
});

test.each(['runner', 'daemon'])('[GG1] [AL3] no agent is left when the %s is killed', async (victim) => {
  await shortenLeases();
  const waiting = await addIntent(`Wait for the end of the ${victim}`, 'do wait\n');
  const runner = startCommandLine(['run', '--agents', '2', ...acp], { directory: scene.repository });
  await until(() => waitingAgents().length > 0 || runner.process.exitCode !== null);
  expect(waitingAgents().length, runner.errors()).toBeGreaterThan(0);
  if (victim === 'runner') runner.process.kill('SIGKILL');
  else await scene.killDaemon();
  await runner.end;
  await until(() => waitingAgents().length === 0);
  if (victim === 'daemon') return;
  // The lease runs out, so that the work has an owner again: whoever takes it.
  await until(async () => {
    const { intents } = await scene.json(0, ['intents', 'list', '--state', 'open']);
    return intents.some(({ id }: { id: string }) => id === waiting);
  });
});

/** Leases so short that a daemon that is gone is noticed within the test. */
async function shortenLeases(): Promise<void> {
  const data = join(scene.repository, '.firetrident');
  const { url } = JSON.parse(readFileSync(join(data, 'daemon.json'), 'utf8'));
  const authorization = `Bearer ${readFileSync(join(data, 'admin-token'), 'utf8').trim()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ leaseMs: 3_000 });
  expect((await fetch(`${url}/api/colonies/web/policy`, { method: 'PATCH', headers, body })).status).toBe(200);
}

/** The processes of agents that wait in a checkout of some fleet. */
function waitingAgents(): number[] {
  const place = join(scene.repository, '.firetrident/agents/web');
  const files = foldersIn(place)
    .map((run) => join(place, run, 'checkouts'))
    .flatMap((checkouts) => foldersIn(checkouts).map((name) => join(checkouts, name, 'waiting.txt')));
  const pids = files.filter((file) => existsSync(file)).map((file) => Number(readFileSync(file, 'utf8')));
  // A file that is not written yet holds no number.
  return pids.filter((pid) => pid > 0 && isAlive(pid));
}

function foldersIn(place: string): string[] {
  return existsSync(place) ? readdirSync(place) : [];
}
