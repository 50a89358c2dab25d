// Every handler, put together: an endpoint without one does not compile.

import type { ColonyDirectory } from '../colony-directory.ts';
import type { Handlers } from '../endpoint-types.ts';
import type { MetricsDesk } from '../metrics.ts';
import type { TicketOffice } from '../tickets.ts';
import { agentHandlers } from './agents.ts';
import { colonyHandlers } from './colonies.ts';
import { intentHandlers } from './intents.ts';
import { leaseHandlers } from './leases.ts';
import { lookingHandlers } from './looking.ts';
import { proposalHandlers } from './proposals.ts';
import { serviceHandlers } from './service.ts';
import { upstreamHandlers } from './upstreams.ts';

/** What handlers work with. `now` is milliseconds since the Unix epoch. */
export interface HandlerTools {
  readonly directory: ColonyDirectory;
  readonly tickets: TicketOffice;
  readonly metrics: MetricsDesk;
  readonly now: () => number;
}

/** The handler of every endpoint. */
export function createHandlers(tools: HandlerTools): Handlers {
  return {
    ...colonyHandlers(tools.directory),
    ...intentHandlers(),
    ...agentHandlers(),
    ...leaseHandlers(),
    ...proposalHandlers(),
    ...lookingHandlers(),
    ...upstreamHandlers(tools.directory),
    ...serviceHandlers(tools.directory, tools.tickets, tools.metrics, tools.now),
  };
}
