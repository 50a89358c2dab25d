// The listening server: a port, the application on it, and a shutdown that loses nobody's answer.
//
//   SV1. Only the loopback address is listened on unless the configuration says otherwise.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { no, ok, type Result } from '@firetrident/base';
import { wireLimits } from '@firetrident/protocol';
import { getRequestListener } from '@hono/node-server';
import { errorFacts } from './errors.ts';
import { boundHalfOpen } from './half-open.ts';
import { createHttpApp } from './http-app.ts';
import type { HttpTools } from './http-call.ts';
import { refuseRaw } from './raw-refusal.ts';

/** Largest head of a request. */
const headerBytes = 32_768;
/** How long the head of a request may take that is not the first (HF3), and how long a quiet connection is kept. */
const headersMs = 60_000;
const keepAliveMs = 65_000;
/** How often connections are looked at for these times. */
const checkMs = 5_000;
/** How long a body may take to arrive. */
const requestMs = 300_000;

/** Connections that the system holds until they are accepted: thousands of agents may come in one moment. */
const waitingConnections = 4_096;

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

/** A surface beside the endpoint table that answers requests as they come over the wire. */
export interface RawSurface {
  /** Whether a request belongs to it. */
  owns(request: IncomingMessage): boolean;
  answer(incoming: IncomingMessage, outgoing: ServerResponse): void;
}

/** The server with every route; it does not listen yet. */
export function createHttpServer(tools: HttpTools, surfaces: readonly RawSurface[]): Server {
  const app = createHttpApp(tools);
  const listener = getRequestListener(app.fetch, {
    errorHandler: (error) => {
      tools.logger.debug('a call could not be read', { problem: String(error) });
      const body = JSON.stringify({ error: errorFacts('malformed_call') });
      return new Response(body, { status: 400, headers: { 'content-type': 'application/json; charset=utf-8' } });
    },
  });
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    (incoming, outgoing) => {
      const surface = surfaces.find((each) => each.owns(incoming));
      if (surface === undefined) listener(incoming, outgoing);
      else surface.answer(incoming, outgoing);
    },
  );
  server.keepAliveTimeout = keepAliveMs;
  server.maxConnections = wireLimits.connections;
  boundHalfOpen(server, {
    connections: wireLimits.halfOpenConnections,
    elapsed: tools.elapsed,
    cut: () => tools.metrics.connectionCut('half-open'),
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    tools.logger.debug('a connection could not be read', { problem: error.message });
    if (error.code === 'ECONNRESET') stream.destroy();
    else refuseRaw(stream, errorFacts(error.code === 'HPE_HEADER_OVERFLOW' ? 'head_too_large' : 'malformed_call'));
  });
  return server;
}

/** Listens; answers the port that it got. The host is what the settings say, loopback unless told otherwise (SV1). */
export function listen(server: Server, address: ListenAddress): Promise<Result<number, ListenRefusal>> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(no({ kind: kindOf(error), problem: error.message }));
    server.once('error', failed);
    server.listen({ host: address.host, port: address.port, backlog: waitingConnections }, () => {
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
