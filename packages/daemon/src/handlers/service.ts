// The daemon itself: health, metrics, tickets.

import { no, ok } from '@firetrident/base';
import type { ColonyDirectory } from '../colony-directory.ts';
import { timeText } from '../convert/times.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import { errorFacts } from '../errors.ts';
import type { MetricsDesk } from '../metrics.ts';
import type { TicketOffice } from '../tickets.ts';
import { daemonVersion } from '../version.ts';

/** Handlers of the daemon itself. */
export function serviceHandlers(
  directory: ColonyDirectory,
  tickets: TicketOffice,
  metrics: MetricsDesk,
  now: () => number,
): HandlersOf<'readHealth' | 'readMetrics' | 'readColonyMetrics' | 'createTicket'> {
  return {
    readHealth: async () => ok({ body: { status: 'serving' as const, version: daemonVersion } }),
    readMetrics: async () => ok(await metrics.page(null)),
    readColonyMetrics: async ({ colony }) => ok(await metrics.page(colony.id)),
    createTicket: async ({ caller, body }) => {
      if (caller.kind === 'agent' && caller.colony.id !== body.colony) return no(errorFacts('forbidden', body.colony));
      const known = directory.get(body.colony) !== null;
      if (!known) return no(errorFacts('unknown_colony', body.colony));
      const issued = tickets.issue(body.colony, caller, now());
      if (issued === null) return no(errorFacts('too_many_requests'));
      return ok({ body: { ticket: issued.ticket, expiresAt: timeText(issued.expiresAt) } });
    },
  };
}
