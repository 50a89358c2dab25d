// The repository elsewhere that a colony is kept in step with.

import { defined, ok } from '@firetrident/base';
import type { ResponseOf } from '@firetrident/protocol';
import type { ColonyDirectory } from '../colony-directory.ts';
import { timeTextOrNull } from '../convert/times.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Handlers of upstreams. */
export function upstreamHandlers(
  directory: ColonyDirectory,
): HandlersOf<'readUpstream' | 'setUpstream' | 'clearUpstream'> {
  const of = (id: string) => defined(directory.upstream(id), `the upstream of colony ${id}`);
  return {
    readUpstream: async ({ colony }) => ok({ body: upstreamBody(of(colony.id)) }),
    setUpstream: async ({ colony, body }) => {
      const upstream = of(colony.id);
      const { url, mode, pushesPerMinute } = body;
      await upstream.set({ url, mode, pushesPerMinute, branch: body.branch ?? colony.state.branch });
      return ok({ body: upstreamBody(upstream) });
    },
    clearUpstream: async ({ colony }) => {
      const upstream = of(colony.id);
      await upstream.set(null);
      return ok({ body: upstreamBody(upstream) });
    },
  };
}

function upstreamBody({ status }: Upstream): ResponseOf<'readUpstream'> {
  if (status === null) return { upstream: null };
  const { settings, state, problem, commit, lookedAt, pushedAt, pushes } = status;
  const { url, mode, branch, pushesPerMinute } = settings;
  const times = { lookedAt: timeTextOrNull(lookedAt), pushedAt: timeTextOrNull(pushedAt) };
  return { upstream: { url, mode, branch, pushesPerMinute, state, problem, commit, pushes, ...times } };
}
