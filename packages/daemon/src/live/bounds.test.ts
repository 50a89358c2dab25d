// What hostile clients meet: bounds on silent connections, on unfinished messages, on openings and on messages a second.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AgentId } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { wireLimits } from '@firetrident/protocol';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { errorFacts } from '../errors.ts';
import { boundHalfOpen } from '../half-open.ts';
import { InboundBudget, InboundWatch } from './inbound.ts';
import { LateRefusals, waitingRefusals } from './late-refusals.ts';
import { OpeningDesk } from './openings.ts';
import { Pace, SocketPace } from './pace.ts';

/** A connection that the server has accepted, and on which nothing was said yet. */
async function connectionTo(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
  return socket;
}

test('[HF1] [HF2] of more silent connections than the bound the oldest is cut, and one that spoke is not', async () => {
  let cut = 0;
  const server = createServer((_request, response) => void response.end('heard'));
  let now = 0;
  const count = () => {
    cut += 1;
  };
  boundHalfOpen(server, { connections: 2, elapsed: () => now, cut: count });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const open = () => connectionTo(server);
  const spoke = await open();
  spoke.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(spoke, 'data');
  const [oldest, ...others] = [await open(), await open()];
  others.push(await open());
  expect(cut, 'all of them have just come').toBe(0);
  now += 2_000;
  const closed = once(oldest as Socket, 'close');
  others.push(await open());
  await closed;
  expect(cut).toBe(1);
  expect([spoke, ...others].map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  server.closeAllConnections();
  server.close();
});

test('[HF3] a connection that stays silent is cut, but not for the time in which the daemon was held up', async () => {
  let cut = 0;
  const lookMs = 20;
  const server = createServer((_request, response) => void response.end('heard'));
  const count = () => {
    cut += 1;
  };
  boundHalfOpen(server, { connections: 100, elapsed: () => 0, cut: count, lookMs });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const open = () => connectionTo(server);
  const late = await open();
  // Nothing else runs meanwhile: a daemon that the machine holds up for twenty looks.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs * 20);
  late.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String(await once(late, 'data'))).toContain('heard');
  expect(cut).toBe(0);
  const silent = await open();
  await once(silent, 'close');
  expect([cut, late.destroyed]).toEqual([1, false]);
  server.closeAllConnections();
  server.close();
});

/** A socket as far as the watch sees it. */
function watched(budget: InboundBudget, now: () => number, state: number = WebSocket.OPEN) {
  const stream = new PassThrough().resume();
  const socket = new WebSocket(null as unknown as string, undefined, {});
  let isCut = false;
  let pauses = 0;
  Object.defineProperty(socket, 'readyState', { value: state });
  socket.terminate = () => {
    isCut = true;
  };
  socket.resume = () => undefined;
  socket.pause = () => {
    pauses += 1;
  };
  const pace = new SocketPace(socket, now);
  new InboundWatch(socket, stream, budget, pace, now);
  return {
    mistake: () => pace.countMistake(),
    come: (bytes: number) => stream.emit('data', Buffer.alloc(bytes)),
    end: () => socket.emit('message', Buffer.alloc(0), false),
    close: () => stream.emit('close'),
    seen: () => ({ isCut, pauses }),
  };
}

test('[IB1] unfinished messages share a bound, and the one that began first is cut', () => {
  let cuts = 0;
  const budget = new InboundBudget(300_000, () => {
    cuts += 1;
  });
  const [first, second, third] = [0, 1, 2].map(() => watched(budget, () => 0));
  first?.come(100_000);
  second?.come(100_000);
  third?.come(60_000);
  expect(budget.bytes).toBe(200_000);
  second?.end();
  expect(budget.bytes).toBe(100_000);
  second?.come(150_000);
  third?.come(40_000);
  expect([first, second, third].map((each) => each?.seen().isCut)).toEqual([true, false, false]);
  expect(budget.bytes).toBe(250_000);
  second?.close();
  third?.close();
  expect([budget.bytes, cuts]).toEqual([0, 1]);
});

test('[IB2] a socket is read at the pace of so many messages a second', () => {
  let now = 10_000;
  const one = watched(new InboundBudget(1, () => undefined), () => now);
  for (let message = 1; message < wireLimits.framesPerSecond; message += 1) one.end();
  expect(one.seen().pauses).toBe(0);
  one.end();
  expect(one.seen().pauses).toBe(1);
  now += 1_000;
  const other = watched(new InboundBudget(1, () => undefined), () => now);
  for (let message = 0; message < wireLimits.framesPerSecond * 3; message += 1) {
    other.end();
    now += 11;
  }
  expect(other.seen().pauses).toBe(0);
});

test('[PE1] what came at once is paid for afterwards, but not for long', () => {
  const pace = new Pace(100, 4);
  expect([pace.count(99, 1_000), pace.count(1, 1_000)], 'from full to half full').toEqual([0, 500]);
  expect(pace.count(150, 1_000), 'it is on top of what came before').toBe(2_000);
  expect(pace.count(50, 3_000), 'two seconds later half of the first hundred is left').toBe(500);
  expect(pace.count(1_000_000, 3_000)).toBe(3_500);
  expect(pace.count(1, 60_000)).toBe(0);
});

test('[PE2] a message that asks for nothing that can be done counts as several', () => {
  const one = watched(new InboundBudget(1, () => undefined), () => 10_000);
  const enough = wireLimits.framesPerSecond / wireLimits.messagesPerMistake;
  for (let message = 1; message <= enough; message += 1) {
    expect(one.seen().pauses).toBe(0);
    one.end();
    one.mistake();
  }
  expect(one.seen().pauses).toBe(1);
});

test('[IB3] long messages share a pace of bytes, and short ones of others go on', () => {
  let now = 10_000;
  const budget = new InboundBudget(Number.POSITIVE_INFINITY, () => undefined);
  const [one, other, short] = [0, 1, 2].map(() => watched(budget, () => now));
  one?.come(wireLimits.longBytesPerSecond - 100_000);
  expect(one?.seen().pauses).toBe(0);
  other?.come(100_000);
  expect(other?.seen().pauses).toBe(1);
  short?.come(60_000);
  short?.end();
  expect(short?.seen().pauses).toBe(0);
  now += 1_000;
  one?.come(100_000);
  expect(one?.seen().pauses).toBe(0);
});

test('[IB4] what comes on a closing socket counts for nobody, and after a little of it no more is read', () => {
  const budget = new InboundBudget(1, () => undefined);
  const one = watched(budget, () => 10_000, WebSocket.CLOSING);
  one.come(60_000);
  expect(one.seen().pauses).toBe(0);
  one.come(60_000);
  expect([budget.bytes, one.seen()]).toEqual([0, { isCut: false, pauses: 1 }]);
});

test('[LR1] a refusal is told after a while', async () => {
  const stream = new PassThrough();
  new LateRefusals(10).refuse(stream, errorFacts('too_many_requests'));
  expect(stream.read()).toBeNull();
  expect(await text(stream)).toMatch(/^HTTP\/1\.1 429 /);
});

test('[LR1] a refusal waits, but only so many do, and at the end all are told', () => {
  const refusals = new LateRefusals();
  const streams = Array.from({ length: waitingRefusals + 1 }, () => new PassThrough());
  for (const stream of streams) refusals.refuse(stream, errorFacts('too_many_requests'));
  const told = () => streams.filter((stream) => String(stream.read() ?? '').startsWith('HTTP/1.1 429')).length;
  expect(told(), 'the one beyond the bound').toBe(1);
  refusals.close();
  expect(told()).toBe(waitingRefusals);
});

test('[OP1] [OP2] an agent opens a few sockets at once, then one a second, and only so many at a time', () => {
  let now = 0;
  const desk = new OpeningDesk(() => now);
  const colony = {} as Colony;
  const opens = (agent: AgentId, times: number) =>
    Array.from({ length: times }, () => desk.open(colony, agent)).filter(Boolean).length;
  expect(opens('agt_1', 100)).toBe(wireLimits.socketOpenings);
  expect(opens('agt_2', 1)).toBe(1);
  now += 5_000;
  expect(opens('agt_1', 100), 'it has as many as it may have').toBe(0);
  for (let socket = 0; socket < wireLimits.socketsPerAgent; socket += 1) desk.closed(colony, 'agt_1');
  expect(opens('agt_1', 100), 'one for each second').toBe(5);
});
