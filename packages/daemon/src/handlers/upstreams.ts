// The repository elsewhere that a colony is kept in step with.

import { no, ok } from '@firetrident/base';
import type { ResponseOf } from '@firetrident/protocol';
import type { ColonyDirectory } from '../colony-directory.ts';
import { timeTextOrNull } from '../convert/times.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import { errorFacts } from '../errors.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Handlers of upstreams. */
export function upstreamHandlers(
  directory: ColonyDirectory,
): HandlersOf<'readUpstream' | 'setUpstream' | 'changeUpstream' | 'retryUpstream' | 'clearUpstream'> {
  // A colony may have gone while a call to it was read.
  const gone = (id: string) => no(errorFacts('unknown_colony', id));
  return {
    readUpstream: async ({ colony }) => {
      const upstream = directory.upstream(colony.id);
      return upstream === null ? gone(colony.id) : ok({ body: upstreamBody(upstream) });
    },
    setUpstream: async ({ colony, body }) => {
      const upstream = directory.upstream(colony.id);
      if (upstream === null) return gone(colony.id);
      const { url, mode, pushesPerMinute } = body;
      const settings = { url, mode, pushesPerMinute, branch: body.branch ?? colony.state.branch };
      if (!(await upstream.set(settings))) return gone(colony.id);
      return ok({ body: upstreamBody(upstream) });
    },
    changeUpstream: async ({ colony, body }) => {
      const upstream = directory.upstream(colony.id);
      if (upstream === null) return gone(colony.id);
      return (await upstream.pause(body.paused))
        ? ok({ body: upstreamBody(upstream) })
        : no(errorFacts('no_upstream', null));
    },
    retryUpstream: async ({ colony }) => {
      const upstream = directory.upstream(colony.id);
      if (upstream === null) return gone(colony.id);
      return (await upstream.retry()) ? ok({ body: upstreamBody(upstream) }) : no(errorFacts('no_upstream', null));
    },
    clearUpstream: async ({ colony }) => {
      const upstream = directory.upstream(colony.id);
      if (upstream === null || !(await upstream.set(null))) return gone(colony.id);
      return ok({ body: upstreamBody(upstream) });
    },
  };
}

function upstreamBody({ status }: Upstream): ResponseOf<'readUpstream'> {
  if (status === null) return { upstream: null };
  const { settings, state, problem, commit, pushes, failures } = status;
  const { url, mode, branch, pushesPerMinute } = settings;
  const times = {
    lookedAt: timeTextOrNull(status.lookedAt),
    pushedAt: timeTextOrNull(status.pushedAt),
    retryAt: timeTextOrNull(status.retryAt),
  };
  return { upstream: { url, mode, branch, pushesPerMinute, state, problem, commit, pushes, failures, ...times } };
}
