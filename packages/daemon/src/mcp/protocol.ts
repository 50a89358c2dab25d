// The library of the protocol, bound to our tools. It is loaded with the first client that comes: most daemons have none.

import { createMcpHandler, validateHostHeader } from '@modelcontextprotocol/server';
import type { AgentCaller } from '../auth.ts';
import type { Handlers } from '../endpoint-types.ts';
import type { Logger } from '../logger.ts';
import { createMcpServer } from './server.ts';

/** What the library is handed along with a request that was let in. */
export interface Passed {
  readonly caller: AgentCaller;
  readonly gone: AbortSignal;
}

/** Answers the requests of clients, each in the form of its era. */
export interface Protocol {
  readonly fetch: ReturnType<typeof createMcpHandler>['fetch'];
  /** Whether a Host header names one of these hosts. */
  isHost(header: string | null, hosts: readonly string[]): boolean;
}

/** The protocol, with a server of its own for each request. */
export function createProtocol(handlers: Handlers, logger: Logger): Protocol {
  const handler = createMcpHandler(
    ({ authInfo }) => createMcpServer({ ...(authInfo?.extra as unknown as Passed), handlers, logger }),
    { maxSubscriptions: 1, onerror: (error) => logger.debug('an MCP request was refused', { problem: error.message }) },
  );
  return {
    fetch: (request, options) => handler.fetch(request, options),
    isHost: (header, hosts) => validateHostHeader(header, [...hosts]).ok,
  };
}
