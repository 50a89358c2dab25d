// The Model Context Protocol over HTTP, spoken by the official client in both eras, on a real daemon and real git.

import { request } from 'node:http';
import type { LeaseId } from '@firetrident/base';
import { mcpTools } from '@firetrident/protocol';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { Scene } from '../support/scene.ts';
import { Colleague, type Era, eras, liveTheStory, storyFiles } from './colleague.ts';

let daemon: TestDaemon;
let shared: Scene;
beforeAll(async () => {
  daemon = await startTestDaemon();
  shared = await Scene.open(daemon, 'shared', storyFiles);
});
afterAll(() => daemon.stop());

function transport(token: string | null): StreamableHTTPClientTransport {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), { requestInit: { headers } });
}

async function join(scene: Scene, era: Era, name: string): Promise<Colleague> {
  return Colleague.connect(era, transport((await scene.agent(name)).token));
}

/** A call without a client: a status and a body. */
async function post(headers: Record<string, string>, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${daemon.url}/mcp`, { method: 'POST', headers }, async (response) => {
      let text = '';
      for await (const part of response) text += part;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe.each(Object.keys(eras) as Era[])('%s era', (era) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open(daemon, `story-${era}`, storyFiles);
  });

  test('[MS2] takes, proposes, is returned, repairs and lands', async () => {
    const agent = await join(scene, era, 'ada');
    await liveTheStory(agent, scene);
    await agent.client.close();
  });

  test('[MC1] every tool is there with schemas and all four annotations', async () => {
    const agent = await join(scene, era, 'bea');
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(mcpTools));
    for (const tool of tools) {
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
      for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint])
        expect(hint).toBeTypeOf('boolean');
    }
    await agent.client.close();
  });

  test('[MC3] how to work here is a resource, a prompt, and the instructions', async () => {
    const agent = await join(scene, era, 'cid');
    expect(agent.client.getInstructions()).toContain('Call take');
    const { resources } = await agent.client.listResources();
    const [guide] = resources;
    const read = await agent.client.readResource({ uri: guide?.uri ?? '' });
    expect(read.contents[0]).toMatchObject({
      mimeType: 'text/markdown',
      text: expect.stringContaining(`colony ${scene.id}`),
    });
    const { prompts } = await agent.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['work']);
    const prompt = await agent.client.getPrompt({ name: 'work' });
    expect(JSON.stringify(prompt.messages)).toContain('`repair`');
    await agent.client.close();
  });

  test('[MS1] a refusal is a result with code and next step; a tool that is none is an error of the protocol', async () => {
    const agent = await join(scene, era, 'dan');
    const other = await scene.take('Of another');
    const foreign = { lease: other.lease, epoch: other.epoch };
    const file = [{ path: 'new.txt', content: 'new\n' }];
    const error = await agent.refused('invalid_request', 'take', { wait: 1 });
    expect(error).toMatchObject({ value: 'wait', message: 'wait: no such field.' });
    await agent.refused('unknown_intent', 'take', { intent: 'int_404' });
    await agent.refused('not_your_lease', 'propose', { ...foreign, base: other.base, writes: file });
    await agent.refused('unknown_lease', 'release', { lease: 'lse_404', epoch: 1 });
    await agent.refused('unknown_path', 'read', { path: 'not/there.txt' });
    await agent.refused('path_outside', 'read', { path: '../secret' });
    await agent.refused('line_out_of_range', 'read', { path: 'README.md', lines: [9, 12] });
    await agent.refused('line_out_of_range', 'why', { path: 'README.md', line: 99 });
    await agent.refused('unknown_proposal', 'status', { proposal: 'prp_404' });
    await agent.refused('unknown_dependency', 'add_intent', { title: 'After nothing', after: ['int_404'] });
    const own = await agent.must('take', { intent: await scene.intent(`Errors ${era}`) });
    const work = { lease: own.lease.id, epoch: own.lease.epoch };
    const base = own.base.commit;
    await agent.refused('no_change', 'propose', { ...work, base, writes: [] });
    await agent.refused('path_reserved', 'propose', { ...work, base, writes: [{ path: '.git/config', content: '' }] });
    await agent.refused('invalid_request', 'propose', {
      ...work,
      base,
      writes: [{ path: 'a', content: '', delete: true }],
    });
    const twice = [
      {
        path: 'README.md',
        edits: [
          { old: 'o', replacement: '0' },
          { old: 'Story', replacement: '' },
        ],
      },
    ];
    expect(await agent.refused('invalid_request', 'propose', { ...work, base, writes: twice })).toMatchObject({
      value: 'writes[0].edits[1].old',
    });
    await agent.refused('invalid_request', 'release', { ...work, ended: 'failed' });
    await agent.refused('invalid_request', 'propose', {
      ...work,
      base,
      writes: Array.from({ length: 10_001 }, () => file[0]),
    });
    expect(await agent.must('release', { ...work, ended: 'completed', why: 'Nothing to do.' })).toMatchObject({
      ended: 'completed',
    });
    await agent.refused('stale_epoch', 'release', work);
    expect(await agent.must('propose', { ...work, base, writes: file })).toMatchObject({ state: 'superseded' });
    await expect(agent.client.callTool({ name: 'conquer', arguments: {} })).rejects.toThrow(/conquer/);
    await agent.client.close();
  });

  test('reads what is not text, folders and other commits', async () => {
    const agent = await join(scene, era, 'eve');
    const logo = await agent.must('read', { path: 'logo.bin' });
    expect(Buffer.from(logo.contentBase64, 'base64')).toEqual(Buffer.from(storyFiles['logo.bin']));
    const root = await agent.must('read', { path: '' });
    expect(root.entries).toContainEqual(expect.objectContaining({ name: 'src', kind: 'directory' }));
    expect((await agent.must('read', { path: 'src' })).entries).toHaveLength(2);
    const field = await agent.must('field', { limit: 1 });
    expect(field.regions.length).toBeLessThanOrEqual(1);
    const nothing = await agent.must('take', { waitMs: 0, labels: ['no intent has this'] });
    expect(nothing).toMatchObject({ wait: { reason: expect.any(String) } });
    await agent.client.close();
  });

  test('a token that is not good is told so before anything else', async () => {
    await expect(Colleague.connect(era, transport('ft_agent_wrong'))).rejects.toThrow();
    await expect(Colleague.connect(era, transport(null))).rejects.toThrow();
  });
});

test('[MR1] origin, host, token and size are judged before the message', async () => {
  const { token, id } = await shared.agent('fay');
  const authorization = `Bearer ${token}`;
  const code = (answer: { text: string }) => JSON.parse(answer.text).error.code;
  expect((await post({ ...plain, authorization }, ping)).status).toBe(200);
  const bad = await post({ ...plain, authorization: 'Bearer wrong' }, 'not even JSON');
  expect([bad.status, code(bad)]).toEqual([401, 'unauthorized']);
  const admin = await post({ ...plain, authorization: `Bearer ${daemon.adminToken}` }, ping);
  expect([admin.status, code(admin)]).toEqual([403, 'forbidden']);
  const origin = await post({ ...plain, authorization, origin: 'http://evil.example' }, ping);
  expect([origin.status, code(origin)]).toEqual([403, 'origin_refused']);
  const host = await post({ ...plain, authorization, host: 'evil.example' }, ping);
  expect([host.status, code(host)]).toEqual([403, 'host_refused']);
  const named = await post({ ...plain, authorization, host: `localhost:${new URL(daemon.url).port}` }, ping);
  expect(named.status).toBe(200);
  const broken = await post({ ...plain, authorization }, '{"jsonrpc":');
  expect([broken.status, code(broken)]).toEqual([400, 'invalid_json']);
  const large = await post({ ...plain, authorization, 'content-length': '70000000' }, '');
  expect([large.status, code(large)]).toEqual([413, 'body_too_large']);
  await shared.expect(200, 'POST', `/agents/${id}/stop`, {});
  const stopped = await post({ ...plain, authorization }, ping);
  expect([stopped.status, code(stopped)]).toEqual([401, 'unauthorized']);
});

test('[MR3] a request of any kind renews leases that have run for half of their time', async () => {
  const { agent, lease } = await shared.take('Long thought');
  const expiry = () => daemon.running.colonies.get(shared.id)?.state.leases.get(lease as LeaseId)?.expiresAt ?? 0;
  const send = () => post({ ...plain, authorization: `Bearer ${agent.token}` }, ping);
  const begun = expiry();
  await send();
  expect(expiry()).toBe(begun);
  // Leases of four times the length: by that measure, more than half of this one has run.
  await shared.expect(200, 'PATCH', '/policy', { leaseMs: 2_400_000 });
  await send();
  expect(expiry()).toBeGreaterThan(begun + 1_000_000);
});

test('[TO1] files that were read count as what a change depends on', async () => {
  const agent = await join(shared, 'modern', 'gil');
  const taken = await agent.must('take', { intent: await shared.intent('Use the greeting') });
  const { lease, base } = taken;
  await agent.must('read', { path: 'README.md' });
  await shared.land('Rename', [{ path: 'README.md', content: '# Other\n' }]);
  const work = { lease: lease.id, epoch: lease.epoch };
  const writes = [{ path: 'notes.txt', content: 'as the README says\n' }];
  const returned = await agent.must('propose', { ...work, base: base.commit, writes, waitMs: 60_000 });
  expect(returned).toMatchObject({ state: 'returned', brief: { reads: [{ path: 'README.md' }], writes: [] } });
  const landed = await agent.must('repair', {
    ...work,
    proposal: returned.proposal,
    answer: 'confirm',
    waitMs: 60_000,
  });
  expect(landed.state).toBe('landed');
  expect(git(shared.repository, ['show', 'main:notes.txt'])).toBe('as the README says\n');
  await agent.client.close();
});
