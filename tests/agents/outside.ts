// What lies beyond loopback, as agents see it: a proxy that lets nothing through and remembers who was asked for.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The proxy, while it runs. */
export interface Outside {
  /** Variables that send every program there that minds such variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Hosts that somebody wanted, as often as it did. */
  readonly wanted: readonly string[];
  close(): Promise<void>;
}

/** Starts the proxy on any free port of the loopback interface. */
export async function startOutside(): Promise<Outside> {
  const wanted: string[] = [];
  const server = createServer((request, response) => {
    wanted.push(request.headers.host ?? request.url ?? '');
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    wanted.push(request.url ?? '');
    // Whoever hangs up first is of no interest.
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const loopback = '127.0.0.1,localhost,::1';
  return {
    environment: {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      http_proxy: url,
      https_proxy: url,
      NO_PROXY: loopback,
      no_proxy: loopback,
    },
    wanted,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
