// Messages framed by hand, read by the WebSocket library's own client.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { textMessage } from './wire.ts';

const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];

test('texts around every bound of the length field arrive whole and in order', async () => {
  const texts = [...lengths.map((length) => 'x'.repeat(length)), 'Grüße, 世界 😀'];
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  http.on('upgrade', (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      stream.write(Buffer.concat(texts.map(textMessage)));
      socket.send('said by the library', () => socket.close());
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const heard: string[] = [];
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  client.on('message', (data) => heard.push(String(data)));
  await new Promise((resolve) => client.once('close', resolve));
  http.close();
  expect(heard).toEqual([...texts, 'said by the library']);
});
