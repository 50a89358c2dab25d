// The Model Context Protocol over a pipe: `firetrident mcp` as a harness starts it, the official client at the other end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { Scene } from '../support/scene.ts';
import { until } from '../support/until.ts';
import { Colleague, type Era, eras, liveTheStory, storyFiles } from './colleague.ts';

const entry = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));
const args = ['--disable-warning=ExperimentalWarning', entry, 'mcp'];

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

function environment(token: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', FT_URL: daemon.url, FT_TOKEN: token };
}

function join(scene: Scene, era: Era, token: string, more: readonly string[] = []): Promise<Colleague> {
  const command = { command: process.execPath, args: [...args, '--colony', scene.id, ...more], cwd: daemon.directory };
  return Colleague.connect(era, new StdioClientTransport({ ...command, env: environment(token) }));
}

test.each(Object.keys(eras) as Era[])(
  '[MP2] %s era: the story, by an agent that lives as long as the process',
  async (era) => {
    const scene = await Scene.open(daemon, `pipe-${era}`, storyFiles);
    const agent = await join(scene, era, daemon.adminToken, ['--name', 'piper', '--kind', 'test']);
    await liveTheStory(agent, scene);
    const left = await agent.must('take', { intent: await scene.intent('Left behind') });
    await agent.client.close();
    await until(async () => {
      const { agents } = await scene.expect(200, 'GET', '/agents');
      return agents
        .filter(({ kind }: { kind: string }) => kind === 'test')
        .every(({ state }: { state: string }) => state === 'stopped');
    });
    expect(await scene.expect(200, 'GET', `/intents/${left.intent.id}`)).toMatchObject({ state: 'open' });
  },
);

test('[RT1] [RT2] what a hook saw read in the clone is told before the proposal', async () => {
  const scene = await Scene.open(daemon, 'pipe-reads', { 'a.txt': 'a\n', 'seen.txt': 's\n', 'early.txt': 'e\n' });
  const clone = `${daemon.directory}/clone-reads`;
  git(daemon.directory, ['clone', '-q', scene.repository, clone]);
  const command = { command: process.execPath, args: [...args, '--colony', scene.id], cwd: clone };
  const agent = await Colleague.connect(
    'modern',
    new StdioClientTransport({ ...command, env: environment(daemon.adminToken) }),
  );
  const list = `${clone}/.git/firetrident.reads`;
  appendFileSync(list, 'hook\tearly.txt\n');
  const { lease, base } = await agent.must('take', { intent: await scene.intent('Read first') });
  appendFileSync(list, 'hook\tseen.txt\n');
  const told = await agent.must('propose', {
    lease: lease.id,
    epoch: lease.epoch,
    base: base.commit,
    writes: [{ path: 'a.txt', content: 'A\n' }],
    waitMs: 30_000,
  });
  const { reads } = await scene.expect(200, 'GET', `/landings/${told.landing}`);
  expect(reads).toMatchObject([{ path: 'seen.txt', source: 'hook', at: base.commit }]);
  await agent.client.close();
});

test('[RL1] what the daemon refuses is told in the result of the tool', async () => {
  const scene = await Scene.open(daemon, 'pipe', storyFiles);
  const { token, id } = await scene.agent('own token');
  const agent = await join(scene, 'modern', token);
  await agent.must('status');
  await agent.refused('invalid_request', 'take', { surprise: true });
  await expect(agent.client.callTool({ name: 'conquer', arguments: {} })).rejects.toThrow(/conquer/);
  await scene.expect(200, 'POST', `/agents/${id}/stop`, {});
  await agent.refused('unauthorized', 'status');
  await agent.client.close();
});

test('[MP3] what was asked before the input ended is answered', async () => {
  const scene = await Scene.open(daemon, 'pipe-ended', storyFiles);
  const { token } = await scene.agent('printed');
  const child = spawn(process.execPath, args, { env: environment(token), stdio: ['pipe', 'pipe', 'inherit'] });
  const call = { name: 'take', arguments: { waitMs: 400 } };
  const request = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: call };
  child.stdin.end(JSON.stringify(request));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(JSON.parse(output)).toMatchObject({ id: 8, result: { structuredContent: expect.any(Object) } });
  expect(code).toBe(0);
});

test('[ML1] what is no message is answered so, and ends nothing', async () => {
  const scene = await Scene.of(daemon, 'pipe');
  const { token } = await scene.agent('raw');
  const child = spawn(process.execPath, args, { env: environment(token), stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  child.stdin.write('not json\n[1]\n\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
  await until(() => output.split('\n').some((line) => line.includes('"id":7')));
  const messages = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages.filter(({ id }) => id === null).every(({ error }) => error !== undefined)).toBe(true);
  expect(messages.find(({ id }) => id === 7)).toMatchObject({ result: {} });
  child.stdin.end();
  expect((await once(child, 'exit'))[0]).toBe(0);
});
