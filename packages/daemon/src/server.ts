// The listening server: a port, the application on it, and a shutdown that loses nobody's answer.
//
//   SV1. Only the loopback address is listened on unless the configuration says otherwise.
//   SV2. Shutdown: no new call; calls under way are answered; sockets are told where to resume; then the colonies close.

import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { no, ok, type Result } from '@firetrident/base';
import { getRequestListener } from '@hono/node-server';
import { createHttpApp, type HttpTools } from './http-app.ts';

/** Largest head of a request. */
const headerBytes = 32_768;
/** How long a request's head may take, and how long a quiet connection is kept. */
const headersMs = 30_000;
const keepAliveMs = 65_000;
/** How long a body may take to arrive. */
const requestMs = 300_000;

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Why a server could not listen. */
export interface ListenRefusal {
  readonly kind: 'taken' | 'not-allowed' | 'no-such-address' | 'other';
  readonly problem: string;
}

/** The server with every route; it does not listen yet. */
export function createHttpServer(tools: HttpTools): Server {
  const app = createHttpApp(tools);
  const listener = getRequestListener(app.fetch, {
    errorHandler: (error) => {
      tools.logger.warn('a request could not be read', { problem: String(error) });
      const body = {
        error: { code: 'invalid_address', message: 'The request cannot be read.', value: null, next: '', hint: '' },
      };
      return new Response(JSON.stringify(body), { status: 400, headers: { 'content-type': 'application/json' } });
    },
  });
  const server = createServer(
    { maxHeaderSize: headerBytes, headersTimeout: headersMs, requestTimeout: requestMs },
    listener,
  );
  server.keepAliveTimeout = keepAliveMs;
  return server;
}

/** Listens; answers the port that it got. */
export function listen(server: Server, address: ListenAddress): Promise<Result<number, ListenRefusal>> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(no({ kind: kindOf(error), problem: error.message }));
    server.once('error', failed);
    server.listen({ host: address.host, port: address.port }, () => {
      server.off('error', failed);
      resolve(ok((server.address() as AddressInfo).port));
    });
  });
}

function kindOf(error: NodeJS.ErrnoException): ListenRefusal['kind'] {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'taken';
    case 'EACCES':
      return 'not-allowed';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'no-such-address';
    default:
      return 'other';
  }
}

/** Address of the server for clients on this machine. */
export function serverUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
