// The relay between a pipe and `/mcp`, on a real daemon, where it has to answer by itself.

import type { AgentId } from '@firetrident/base';
import { type McpMessage, McpRelay } from '@firetrident/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Scene, type SceneAgent } from '../support/scene.ts';
import { until } from '../support/until.ts';

let daemon: TestDaemon;
let scene: Scene;
let agent: SceneAgent;
beforeAll(async () => {
  daemon = await startTestDaemon();
  scene = await Scene.open(daemon, 'relay', { 'README.md': '# Relay\n' });
  agent = await scene.agent('relayed');
});
afterAll(() => daemon.stop());

/** An address where nobody listens: ports below 1024 are not given to programs that ask for any. */
const nowhere = 'http://127.0.0.1:1021';

/** Relays to the addresses one after the other; at null nobody knows one. */
function relayTo(addresses: readonly (string | null)[], patienceMs: number): { relay: McpRelay; heard: McpMessage[] } {
  const heard: McpMessage[] = [];
  let asked = 0;
  const access = () => {
    const url = addresses[Math.min(asked, addresses.length - 1)];
    asked += 1;
    if (typeof url !== 'string') throw new Error('no daemon serves here');
    return { url, token: agent.token };
  };
  return { relay: new McpRelay({ access, emit: (message) => heard.push(message), patienceMs }), heard };
}

function toolCall(id: number, name: string, input: object): McpMessage {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } };
}

test('[RL1] a daemon that is gone is an answer: a result for a tool, an error for the rest, none for a notification', async () => {
  const { relay, heard } = relayTo([nowhere], 0);
  await relay.relay(toolCall(1, 'status', {}));
  await relay.relay({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  await relay.relay({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(heard).toMatchObject([
    { id: 1, result: { isError: true, structuredContent: { error: { code: 'unreachable' }, notices: [] } } },
    { id: 2, error: { code: -32_603, data: { code: 'unreachable' } } },
  ]);
});

test('[RL1] arguments larger than a call may be are told in the result of the tool', async () => {
  const { relay, heard } = relayTo([daemon.url], 0);
  const writes = [{ path: 'large', content: 'x'.repeat(68_000_000) }];
  await relay.relay(toolCall(3, 'propose', { lease: 'lse_1', epoch: 1, base: '0'.repeat(40), writes }));
  expect(heard).toMatchObject([
    { id: 3, result: { isError: true, structuredContent: { error: { code: 'body_too_large' } } } },
  ]);
});

test('[RL2] a daemon that is being started is waited for, at the address where it serves then', async () => {
  const { relay, heard } = relayTo([nowhere, nowhere, daemon.url], 60_000);
  await relay.relay({ jsonrpc: '2.0', id: 4, method: 'ping' });
  expect(heard).toMatchObject([{ id: 4, result: {} }]);
});

test('[RL2] a daemon that has no address yet is waited for like one that refuses', async () => {
  const { relay, heard } = relayTo([null, null, daemon.url], 60_000);
  await relay.relay({ jsonrpc: '2.0', id: 5, method: 'ping' });
  expect(heard).toMatchObject([{ id: 5, result: {} }]);
});

test('[RL1] without an address a request is answered so, and a sign of life is passed over', async () => {
  const { relay, heard } = relayTo([null], 0);
  await relay.signOfLife();
  await relay.relay({ jsonrpc: '2.0', id: 6, method: 'ping' });
  expect(heard).toMatchObject([
    { id: 6, error: { data: { code: 'unreachable', message: expect.stringContaining('no daemon serves here') } } },
  ]);
});

/** Calls that the daemon has not answered, the one that asks included. */
async function callsUnderWay(): Promise<number> {
  const { bytes } = await daemon.call('GET', '/metrics');
  return Number(/^firetrident_http_in_flight (\d+)$/m.exec(bytes.toString('utf8'))?.[1]);
}

test('[RL3] a cancelled call is given up, and what it would have been given stays open', async () => {
  const { relay, heard } = relayTo([daemon.url], 0);
  const colony = daemon.running.colonies.get(scene.id);
  const before = daemon.log.length;
  const asked = relay.relay(toolCall(5, 'take', { waitMs: 60_000 }));
  await until(async () => (await callsUnderWay()) === 2);
  await relay.relay({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
  await asked;
  expect(heard).toEqual([]);
  await until(async () => (await callsUnderWay()) === 1);
  await scene.intent('For whoever asks');
  expect(colony?.state.agents.get(agent.id as AgentId)?.leases).toEqual([]);
  expect(daemon.log.slice(before).filter((line) => line.includes('"error"'))).toEqual([]);
});
