// The live stream on a real daemon: replay and order, who hears what, calls on the socket, closing.

import { once } from 'node:events';
import { connect } from 'node:net';
import { liveFrame, wireLimits } from '@firetrident/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../../tests/support/daemon.ts';
import { Scene, type SceneLease } from '../../../../tests/support/scene.ts';
import { LiveClient } from '../testing/live-client.ts';

let daemon: TestDaemon;
let scene: Scene;
const clients: LiveClient[] = [];
beforeAll(async () => {
  daemon = await startTestDaemon();
  scene = await Scene.open(daemon, 'live', { 'a.txt': 'a\n' });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.end();
});
afterAll(() => daemon.stop());

async function open(query = '', token: string | null = daemon.adminToken, colony = scene): Promise<LiveClient> {
  const client = await LiveClient.open(`${daemon.url}${colony.address}/live${query}`, token);
  clients.push(client);
  return client;
}

/** Many landings at once, by agents of their own. */
async function busy(count: number, prefix: string): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      scene.land(`${prefix} ${index}`, [{ path: `${prefix}/${index}.txt`, content: `${index}\n` }]),
    ),
  );
}

/** Sequences of the frames that an observer must have heard, by asking for all of them again. */
async function everything(): Promise<number[]> {
  const last = await scene.sequence();
  const client = await open('?after=0');
  await client.until((frame) => frame.seq >= last || client.frames.length === 0, last);
  return client.frames.map(({ seq }) => seq);
}

describe('observers', () => {
  test('hear everything in order, in the documented forms', async () => {
    const client = await open();
    await scene.land('Heard', [{ path: 'heard.txt', content: 'x\n' }]);
    await client.untilType('landed');
    const types = client.frames.map(({ type }) => type);
    for (const type of ['intent', 'agent', 'take', 'propose', 'cycle', 'landed']) expect(types).toContain(type);
    for (const frame of client.frames) expect(liveFrame.safeParse(frame)).toMatchObject({ success: true });
    const sequences = client.frames.map(({ seq }) => seq);
    expect(sequences).toEqual([...new Set(sequences)].sort((left, right) => left - right));
  });

  test('[HU3] whoever joins in the middle of work misses nothing and hears nothing twice', async () => {
    const early = await open('?after=0');
    const work = busy(24, 'joined');
    const joined = await Promise.all([open('?after=0'), open('?after=5'), open('?after=17')]);
    await work;
    const late = await open('?after=0');
    const last = Math.max(...(await everything()));
    for (const client of [early, ...joined, late]) await client.until(({ seq }) => seq >= last, last);
    const whole = late.frames.map(({ seq }) => seq).filter((seq) => seq <= last);
    const starts = [0, 0, 5, 17];
    for (const [index, client] of [early, ...joined].entries()) {
      const heard = client.frames.map(({ seq }) => seq).filter((seq) => seq <= last);
      expect(heard).toEqual(whole.filter((seq) => seq > (starts[index] ?? 0)));
    }
  });

  test('a frame looks the same live and replayed', async () => {
    const live = await open();
    const landed = await scene.land('Same frame', [{ path: 'same.txt', content: 'x\n' }]);
    const heard = await live.until((frame) => frame.type === 'landed' && frame.proposal === landed.proposal, 0);
    const replay = await open(`?after=${heard.seq - 4}`);
    const again = await replay.until((frame) => frame.seq === heard.seq, 0);
    expect({ ...again, merged: [], unchanged: [] }).toEqual({ ...heard, merged: [], unchanged: [] });
  });

  test('only listen', async () => {
    const client = await open();
    client.send({ id: 1, call: 'take', body: {} });
    expect(await client.answer(null)).toMatchObject({ error: { code: 'forbidden' } });
    client.sendRaw('x'.repeat(wireLimits.observerFrameBytes + 1));
    expect((await client.closed).code).toBe(1009);
  });
});

describe('agents', () => {
  test('[HU2] hear their own outcomes only, with the brief of a return', async () => {
    const reader = await scene.take('Reads shared');
    const other = await scene.take('Writes shared');
    const client = await open('', reader.agent.token);
    const stranger = await open('', other.agent.token);
    await scene.outcome(other, scene.propose(other, [{ path: 'a.txt', content: 'changed\n' }]));
    await stranger.untilType('landed');
    await scene.outcome(
      reader,
      scene.propose(reader, [{ path: 'r.txt', content: 'r\n' }], { reads: [{ path: 'a.txt' }] }),
    );
    const returned = await client.untilType('returned');
    expect(returned).toMatchObject({ agent: reader.agent.id, brief: { reads: [{ path: 'a.txt' }] } });
    expect(client.frames.map(({ type }) => type)).toEqual(['returned']);
    expect(stranger.frames.map(({ type }) => type)).toEqual(['landed']);
    const again = await open('?after=0', reader.agent.token);
    expect(await again.untilType('returned')).toEqual(returned);
    const middle = await open(`?after=${returned.seq - 1}`, reader.agent.token);
    expect(await middle.untilType('returned')).toEqual(returned);
  });

  test('[N3] [HU2] an agent at work hears what changed under it, on its socket and with its next answer', async () => {
    const reader = await scene.take('Reads what changes');
    const stranger = await scene.take('Reads nothing');
    const [client, other] = [await open('', reader.agent.token), await open('', stranger.agent.token)];
    const base = `/files/a.txt?lease=${reader.lease}`;
    await scene.call('GET', base, undefined, reader.agent.token);
    const { landing } = await scene.land('Changes it', [{ path: 'a.txt', content: 'changed under it\n' }]);
    const frame = await client.untilType('heads-up');
    const paths = [{ path: 'a.txt', why: 'read' }];
    const landings = [{ landing, intent: { title: 'Changes it' }, paths, more: 0 }];
    expect(frame).toMatchObject({ lease: reader.lease, intent: reader.intent, landings, more: 0 });
    const again = await open(`?after=${frame.seq - 1}`, reader.agent.token);
    expect(await again.untilType('heads-up')).toEqual(frame);
    const named = { lease: reader.lease, epoch: reader.epoch };
    const beat = () => scene.expect(200, 'POST', '/heartbeat', named, reader.agent.token);
    const [notice, ...more] = (await beat()).notices;
    expect(notice).toMatchObject({ kind: 'heads-up', lease: reader.lease, trunk: frame.trunk, landings });
    expect(notice.message).toBe(
      'a.txt changed on trunk by "Changes it": look at it before you propose, or repair later.',
    );
    expect(more).toEqual([]);
    expect((await beat()).notices).toEqual([]);
    expect(other.frames).toEqual([]);
  });

  test('work over the socket as over HTTP', async () => {
    const agent = await scene.agent('socket');
    const intent = await scene.intent('Over the socket');
    const client = await open('', agent.token);
    client.send({ id: 1, call: 'take', body: { intent } });
    const { result: taken } = await client.answer(1);
    const named = { lease: taken.lease.id, epoch: taken.lease.epoch };
    client.send({ id: 2, call: 'heartbeat', body: { ...named, claims: ['s/**'] } });
    expect((await client.answer(2)).result).toMatchObject({ notices: [] });
    const body = { ...named, base: taken.base.commit, writes: [{ path: 's/socket.txt', content: 's\n' }] };
    client.send({ id: 3, call: 'propose', body });
    const { result: queued } = await client.answer(3);
    expect(queued).toMatchObject({ state: 'queued' });
    const landed = await client.untilType('landed');
    expect(landed).toMatchObject({ proposal: queued.proposal, intent, agent: agent.id });
  });

  test('[TD3] a take of a socket that closed waits no more', async () => {
    const agent = await scene.agent('hangs up');
    const labels = ['after-the-call'];
    const client = await open('', agent.token);
    client.send({ id: 1, call: 'take', body: { labels, waitMs: 60_000 } });
    const reason = async () => (await scene.expect(200, 'POST', '/take', { labels }, agent.token)).wait.reason;
    while ((await reason()) !== 'take already in progress');
    client.end();
    while ((await reason()) === 'take already in progress');
    const intent = await scene.intent('After the call', { labels });
    const taken = await scene.expect(200, 'POST', '/take', { labels }, agent.token);
    expect(taken.intent).toMatchObject({ id: intent });
  });

  test('[LC1] a call that cannot be read is answered, and the socket stays', async () => {
    const agent = await scene.agent('clumsy');
    const client = await open('', agent.token);
    client.sendRaw('{');
    expect(await client.answer(null)).toMatchObject({ error: { code: 'invalid_json' } });
    client.sendRaw(Buffer.from([1, 2]));
    expect(await client.answer(null)).toMatchObject({ error: { code: 'unsupported_media_type' } });
    client.send({ id: 7, call: 'stop', body: {} });
    expect(await client.answer(7)).toMatchObject({ error: { code: 'invalid_request', value: 'call' } });
    client.send({ id: 8, call: 'take', body: { surprise: 1 } });
    expect(await client.answer(8)).toMatchObject({ error: { code: 'invalid_request', value: 'surprise' } });
    client.send({ id: 9, call: 'heartbeat', body: { lease: 'lse_zz', epoch: 1 } });
    expect(await client.answer(9)).toMatchObject({ error: { code: 'unknown_lease', value: 'lse_zz' } });
    client.send({ id: 10, call: 'take', body: {} });
    expect(await client.answer(10)).toMatchObject({ result: { notices: [] } });
  });

  test('[LC2] only so many calls are under way on one socket', async () => {
    const agent = await scene.agent('eager');
    const client = await open('', agent.token);
    const calls = wireLimits.callsInFlight + 1;
    // The first take waits; every further one of the same agent is answered at once, so waits on a proposal are used.
    const lease = await leaseOf(agent.id, agent.token);
    await scene.expect(200, 'POST', '/trunk', { paused: true });
    for (let id = 0; id < calls; id += 1) {
      const writes = [{ path: `eager/${id}.txt`, content: 'x\n' }];
      client.send({ id, call: 'propose', waitMs: 60_000, body: { ...scene.propose(lease, writes), final: false } });
    }
    expect(await client.answer(calls - 1)).toMatchObject({ error: { code: 'too_many_requests' } });
    await scene.expect(200, 'POST', '/trunk', { paused: false });
    for (let id = 0; id < calls - 1; id += 1) expect(await client.answer(id)).toHaveProperty('result');
  });

  test('a stopped agent’s socket is closed and its token is dead', async () => {
    const agent = await scene.agent('short');
    const client = await open('', agent.token);
    await scene.expect(200, 'POST', `/agents/${agent.id}/stop`, {}, agent.token);
    expect((await client.closed).code).toBe(4003);
    await scene.refused(401, 'unauthorized', 'POST', '/take', {}, agent.token);
    await expect(open('', agent.token)).rejects.toThrow('401');
  });
});

/** A lease for an agent that exists already. */
async function leaseOf(id: string, token: string): Promise<SceneLease> {
  return scene.take('Eager', { id, token });
}

describe('who may open a stream', () => {
  test('[UP1] a good token or ticket, and nobody else', async () => {
    await expect(open('', null)).rejects.toThrow('401');
    await expect(open('', 'ft_agent_made-up')).rejects.toThrow('401');
    await expect(open('?after=-1')).rejects.toThrow('422');
    await expect(open('?surprise=1')).rejects.toThrow('422');
    await expect(LiveClient.open(`${daemon.url}/api/colonies/nowhere/live`, daemon.adminToken)).rejects.toThrow('404');
    await expect(LiveClient.open(`${daemon.url}/elsewhere`, daemon.adminToken)).rejects.toThrow('404');
    await expect(
      LiveClient.open(`${daemon.url}${scene.address}/live`, daemon.adminToken, 'https://evil.example'),
    ).rejects.toThrow('403');
  });

  test('[TI1] a ticket opens one socket, once, as who asked for it', async () => {
    const { ticket } = await daemon.expect(201, 'POST', '/api/tickets', { colony: 'live' });
    const client = await open(`?ticket=${ticket}`, null);
    await scene.intent('Heard with a ticket');
    expect(await client.untilType('intent')).toMatchObject({ change: 'created' });
    await expect(open(`?ticket=${ticket}`, null)).rejects.toThrow('401');
    const agent = await scene.agent('with ticket');
    const own = await daemon.expect(201, 'POST', '/api/tickets', { colony: 'live' }, agent.token);
    const socket = await open(`?ticket=${own.ticket}`, null);
    socket.send({ id: 1, call: 'take', body: { labels: ['nothing-has-this'] } });
    expect(await socket.answer(1)).toHaveProperty('result');
  });
});

describe('broken messages', () => {
  test('[UP4] a socket that says what no socket may is told so and cut, even if it goes on and never closes', async () => {
    const agent = await scene.agent('loud');
    const stream = connect(Number(new URL(daemon.url).port), '127.0.0.1');
    const closed = once(stream, 'close');
    stream.on('error', () => undefined);
    stream.write(
      `GET ${scene.address}/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${agent.token}\r\nconnection: Upgrade\r\n` +
        `upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    );
    await once(stream, 'data');
    const heard: Buffer[] = [];
    stream.on('data', (bytes: Buffer) => heard.push(bytes));
    // A text frame of 256 MiB, of which it sends on without an end.
    stream.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0]));
    const pouring = setInterval(() => stream.write(Buffer.alloc(1_024)), 10);
    await closed;
    clearInterval(pouring);
    const told = Buffer.concat(heard);
    expect([told[0], told.readUInt16BE(2)], 'a closing frame: too big').toEqual([0x88, 1009]);
  });
});

describe('slow readers', () => {
  test('[RE2] are closed with the sequence to resume at, and resume without a gap', async () => {
    const crowd = await Scene.open(daemon, 'crowd', { 'a.txt': 'a\n' });
    const slow = await open('', daemon.adminToken, crowd);
    slow.pause();
    const intents = Array.from({ length: 1_000 }, () => ({ title: 'x'.repeat(900) }));
    const closedOne = async () => {
      const page = await daemon.call('GET', `${crowd.address}/metrics`);
      return page.bytes.toString().includes('firetrident_live_slow_readers_total{colony="crowd"} 1');
    };
    // What waits for the reader must pass the bound beyond what the two kernels hold for it; then it reads on at once,
    // within the time that it is given to hear the goodbye.
    for (let round = 0; round < 24 && !(await closedOne()); round += 1) {
      await crowd.expect(201, 'POST', '/intents', { intents });
    }
    slow.resume();
    const { code, reason } = await slow.closed;
    expect(code).toBe(4001);
    const after = Number(/after=(\d+)/.exec(reason)?.[1]);
    expect(slow.frames.at(-1)?.seq).toBe(after);
    const again = await open(`?after=${after}`, daemon.adminToken, crowd);
    const next = await again.until(() => true, 0);
    expect(next.seq).toBe(after + 1);
    expect(await closedOne()).toBe(true);
    await crowd.expect(200, 'DELETE', '', { confirm: 'crowd' });
    expect((await again.closed).code).toBe(1001);
    const page = await daemon.call('GET', '/metrics');
    expect(page.bytes.toString()).not.toContain('"crowd"');
  });
});

describe('shutdown', () => {
  test('[MA4] readers are told where to resume, and resume there after a restart', async () => {
    const client = await open();
    await scene.land('Before the restart', [{ path: 'before.txt', content: 'x\n' }]);
    await client.untilType('landed');
    await daemon.restart();
    const { code, reason } = await client.closed;
    expect(code).toBe(1001);
    const after = Number(/after=(\d+)/.exec(reason)?.[1]);
    expect(client.frames.at(-1)?.seq).toBe(after);
    const again = await open(`?after=${after}`);
    expect(await again.until((frame) => frame.type === 'colony', 0)).toMatchObject({ change: 'started' });
    expect(again.frames[0]?.seq).toBeGreaterThan(after);
  });
});
