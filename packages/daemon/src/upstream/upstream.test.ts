// How patient a colony is with its upstream, on a clock that the test holds.

import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Oid } from '@firetrident/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { git, temporaryDirectory } from '../../../../tests/support/git-repository.ts';
import { VirtualClock } from '../../../../tests/support/virtual-clock.ts';
import { Upstream } from './upstream.ts';

const startMs = 1_000_000;
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const place = temporaryDirectory('firetrident-upstream-');
let server: Server;
let calls = 0;
/** Whether calls are hung up on; otherwise nobody ever answers them. */
let hangsUp = true;
let onCall: () => void = () => undefined;
beforeAll(async () => {
  server = createServer((socket) => {
    calls += 1;
    socket.on('error', () => undefined);
    // Read on, or the other side's end would never be heard of.
    socket.resume();
    if (hangsUp) socket.destroy();
    onCall();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  place.remove();
});

function upstreamAt(name: string, clock: VirtualClock): Upstream {
  const directory = join(place.path, name);
  const repository = join(directory, 'trunk.git');
  mkdirSync(directory);
  git(directory, ['init', '-q', '--bare', '-b', 'main', repository]);
  return new Upstream({ colony: 'held', directory, repository, branch: 'main', log, clock });
}

function settings() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/web.git`;
  return { url, mode: 'upstream', branch: 'main', pushesPerMinute: 6 } as const;
}

test('[UE5] a cycle asks an upstream that is away no sooner than a look would', async () => {
  const clock = new VirtualClock(startMs);
  const upstream = upstreamAt('patient', clock);
  hangsUp = true;
  await upstream.set(settings());
  expect(upstream.status?.state).toBe('away');
  const before = calls;
  const cycle = expect(upstream.prepareCycle()).rejects.toMatchObject({ isTold: true });
  await clock.runUntil(startMs + 19_999);
  expect(calls).toBe(before);
  await clock.runUntil(startMs + 20_000);
  await cycle;
  expect(calls).toBeGreaterThan(before);
  await upstream.stop();
});

test('[UE6] an upstream that does not answer keeps no colony from opening, and is shown as away', async () => {
  const clock = new VirtualClock(startMs);
  const upstream = upstreamAt('opening', clock);
  hangsUp = true;
  await upstream.set(settings());
  hangsUp = false;
  const called = new Promise<void>((resolve) => {
    onCall = resolve;
  });
  const tip = 'a'.repeat(40) as Oid;
  const asked = upstream.hasLanded({ oldTip: tip, newTip: tip, oldNotes: null, newNotes: null });
  await called;
  await clock.runUntil(startMs + 5_000);
  expect(await asked).toBe('unknown');
  expect(upstream.status).toMatchObject({ state: 'away', problem: 'no answer within 5 seconds' });
  await upstream.stop();
  expect(await upstream.set(settings())).toBe(false);
});
