// Signs of life on real sockets, with a short interval.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SignsOfLife } from './signs-of-life.ts';

it('[SG1] [SG2] asks every socket in turn, and ends those that do not answer', async () => {
  const signs = new SignsOfLife({ intervalMs: 400, stepMs: 10 });
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    signs.watch(socket);
    socket.once('close', () => signs.forget(socket));
  });
  const { port } = server.address() as AddressInfo;
  const connected = async (autoPong: boolean) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
    await once(socket, 'open');
    return socket;
  };
  const answering = await Promise.all(Array.from({ length: 5 }, () => connected(true)));
  const silent = await Promise.all(Array.from({ length: 3 }, () => connected(false)));
  const asked = answering.map((socket) => once(socket, 'ping'));
  await Promise.all(silent.map((socket) => once(socket, 'close')));
  await Promise.all(asked);
  // Once more around: those that answered are asked again and are still there.
  await Promise.all(answering.map((socket) => once(socket, 'ping')));
  expect(answering.map(({ readyState }) => readyState)).toEqual(Array(5).fill(WebSocket.OPEN));
  signs.close();
  for (const socket of answering) socket.terminate();
  server.close();
});
