// Starting and stopping a daemon: one per data directory, on the port it says, leaving nobody without an answer.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../tests/support/daemon.ts';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { Scene } from '../../../tests/support/scene.ts';
import { StartError, startDaemon } from './main.ts';

let place: ReturnType<typeof temporaryDirectory>;
const stops: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  place = temporaryDirectory('firetrident-main-');
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  place.remove();
});

async function start(options: Parameters<typeof startTestDaemon>[0] = {}): Promise<TestDaemon> {
  const daemon = await startTestDaemon({ data: join(place.path, 'data'), ...options });
  stops.push(() => daemon.stop());
  return daemon;
}

async function problem(starting: Promise<unknown>): Promise<StartError> {
  const error = await starting.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof StartError) return error;
  throw new Error(`it ${error === null ? 'started' : `failed otherwise: ${String(error)}`}`);
}

function occupy(port: number): Promise<Server> {
  const server = createServer();
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

describe('starting', () => {
  test('makes the data directory, and a token that only its owner can read', async () => {
    const daemon = await start();
    const file = join(daemon.data, 'admin-token');
    expect(readFileSync(file, 'utf8').trim()).toBe(daemon.adminToken);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await daemon.restart();
    expect(daemon.running.adminToken).toBe(daemon.adminToken);
    expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('[MA1] a second daemon on the same data is refused and told who holds it', async () => {
    const daemon = await start();
    const error = await problem(startDaemon({ data: daemon.data, port: 0 }, { environment: {} }));
    expect(error.kind).toBe('data-held');
    expect(error.message).toContain(daemon.data);
    expect(error.message).toContain(`process ${process.pid}`);
    expect((await daemon.call('GET', '/api/health', undefined, null)).status).toBe(200);
  });

  test('takes a free port when the default one is taken, and says so', async () => {
    await occupy(7400).catch(() => undefined);
    const lines: string[] = [];
    const data = join(place.path, 'fallback');
    const daemon = await startDaemon({ data }, { environment: {}, logStream: { write: (line) => lines.push(line) } });
    stops.push(() => daemon.stop());
    expect(daemon.portTaken).toBe(7400);
    expect(daemon.url).not.toContain(':7400');
    expect(lines.join('')).toContain('the default port is taken');
  });

  test('[MA2] a port that was named must be free; then nothing is left behind', async () => {
    const server = await occupy(0);
    const { port } = server.address() as { port: number };
    const data = join(place.path, 'taken');
    const error = await problem(
      startDaemon({ data, port }, { environment: {}, logStream: { write: () => undefined } }),
    );
    expect([error.kind, error.message]).toEqual(['port', expect.stringContaining(`Port ${port}`)]);
    const daemon = await start({ data });
    expect((await daemon.call('GET', '/api/health', undefined, null)).status).toBe(200);
  });

  test('settings that are wrong are refused before anything is made', async () => {
    const data = join(place.path, 'never');
    const error = await problem(startDaemon({ data, port: -1 }, { environment: {} }));
    expect(error.kind).toBe('configuration');
    expect(existsSync(data)).toBe(false);
  });

  test('a data directory that is a file, or that may not be written, is refused by name', async () => {
    const file = join(place.path, 'file');
    writeFileSync(file, '');
    expect((await problem(startDaemon({ data: file, port: 0 }, { environment: {} }))).kind).toBe('data-unusable');
    const closed = join(place.path, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    // The administrator of the machine may write anywhere, so the case needs an ordinary user.
    if (process.getuid?.() === 0) return;
    const error = await problem(startDaemon({ data: closed, port: 0 }, { environment: {} }));
    expect([error.kind, error.message]).toEqual(['data-unusable', expect.stringContaining(closed)]);
  });
});

describe('stopping', () => {
  test('[MA4] calls that wait are answered, and what was acknowledged is there again', async () => {
    const daemon = await start({ shutdownMs: 20_000 });
    const scene = await Scene.open(daemon, 'stop', { 'a.txt': 'a\n' });
    const waiter = await scene.agent('waiter');
    const waiting = scene.call('POST', '/take', { waitMs: 60_000, labels: ['none'] }, waiter.token);
    const lease = await scene.take('Queued');
    await scene.expect(200, 'POST', '/trunk', { paused: true });
    const body = scene.propose(lease, [{ path: 'q.txt', content: 'q\n' }]);
    const queued = await scene.expect(202, 'POST', '/propose', body, lease.agent.token);
    const outcome = scene.call('GET', `/proposals/${queued.proposal}?waitMs=60000`);
    const underWay = async () => {
      const { bytes } = await daemon.call('GET', '/metrics');
      return Number(/^firetrident_http_in_flight (\d+)$/m.exec(bytes.toString())?.[1]);
    };
    // The two that wait, and the one that asks.
    while ((await underWay()) < 3) await new Promise(setImmediate);
    await daemon.restart();
    expect((await waiting).body).toMatchObject({ wait: { reason: 'no open intent' } });
    expect((await outcome).body).toMatchObject({ proposal: queued.proposal, state: 'queued' });
    expect(await scene.expect(200, 'GET', '')).toMatchObject({ trunk: { paused: true }, proposals: { queued: 1 } });
    await scene.expect(200, 'POST', '/trunk', { paused: false });
    const settled = await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=60000`);
    expect(settled.state).toBe('landed');
    await scene.expect(200, 'POST', '/take', { labels: ['none'] }, waiter.token);
  });

  test('[MA4] in the middle of work nothing fails and nothing acknowledged is lost', async () => {
    const daemon = await start();
    const scene = await Scene.open(daemon, 'busy', { 'a.txt': 'a\n' });
    const agents = await Promise.all(Array.from({ length: 8 }, (_, index) => scene.agent(`agent ${index}`)));
    const acknowledged: string[] = [];
    const refusals: string[] = [];
    let isStopping = false;
    const work = agents.map(async (agent, index) => {
      for (let round = 0; ; round += 1) {
        try {
          const lease = await scene.take(`${index} ${round}`, agent);
          const body = scene.propose(lease, [{ path: `${index}/${round}.txt`, content: 'x\n' }]);
          const answer = await scene.call('POST', '/propose?waitMs=5000', body, agent.token);
          if (answer.status < 300) acknowledged.push(answer.body.proposal);
          else refusals.push(answer.body.error.code);
        } catch (error) {
          if (!isStopping) throw error;
          return;
        }
      }
    });
    while (acknowledged.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
    isStopping = true;
    await daemon.restart();
    await Promise.all(work);
    expect(refusals.filter((code) => code !== 'shutting_down' && code !== 'colony_closing')).toEqual([]);
    for (const proposal of acknowledged) {
      const status = await scene.expect(200, 'GET', `/proposals/${proposal}?waitMs=60000`);
      expect(status.state).toBe('landed');
    }
    expect(daemon.log.filter((line) => line.includes('a call failed'))).toEqual([]);
  });

  test('[MA3] twice is once', async () => {
    const daemon = await start();
    await Promise.all([daemon.running.stop(), daemon.running.stop()]);
    await daemon.running.stop();
    await expect(daemon.call('GET', '/api/health', undefined, null)).rejects.toThrow();
  });
});

test('[LO1] no secret is in the log, however talkative it is', async () => {
  const daemon = await start({ logLevel: 'debug' });
  const scene = await Scene.open(daemon, 'secret', { 'a.txt': 'a\n' });
  const agent = await scene.agent('ada');
  const join = await scene.expect(201, 'POST', '/join-tokens', { agents: 1 });
  const joined = await scene.expect(201, 'POST', '/agents', { name: 'joined' }, join.token);
  const { ticket } = await daemon.expect(201, 'POST', '/api/tickets', { colony: 'secret' });
  await scene.call('GET', `/live?ticket=${ticket}`, undefined, null);
  await scene.call('POST', '/take', {}, agent.token);
  await scene.call('POST', '/take', {}, `${agent.token}x`);
  const log = daemon.log.join('');
  expect(log).toContain('call answered');
  for (const secret of [daemon.adminToken, agent.token, join.token, joined.token, ticket])
    expect(log).not.toContain(secret);
});

test('[SE1] no token in clear is in the data directory but the administrator’s', async () => {
  const daemon = await start();
  const scene = await Scene.open(daemon, 'clear', { 'a.txt': 'a\n' });
  const agent = await scene.agent('ada');
  await daemon.running.stop();
  const found = (secret: string) => {
    try {
      return execFileSync('grep', ['-rlF', secret, daemon.data], { encoding: 'utf8' }).trim().split('\n');
    } catch (error) {
      // grep ends with 1 when nothing matches.
      if ((error as { status?: number }).status === 1) return [];
      throw error;
    }
  };
  expect(found(agent.token)).toEqual([]);
  expect(found(daemon.adminToken)).toEqual([join(daemon.data, 'admin-token')]);
});
