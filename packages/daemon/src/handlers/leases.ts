// Leases: taken, kept, given back, ended without a landing.

import { no } from '@firetrident/base';
import type { Agent } from '@firetrident/core';
import type { Colony, TakeAnswer } from '@firetrident/engine';
import type { TakeResponse } from '@firetrident/protocol';
import { noticesFor } from '../convert/notices.ts';
import { requestedPath } from '../convert/paths.ts';
import { timeText, timeTextOrNull } from '../convert/times.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import { answered, boundedWait } from './answer.ts';
import { refusedPath } from './asked-path.ts';
import { refusedGlob } from './globs.ts';

/** Handlers of leases. */
export function leaseHandlers(): HandlersOf<'take' | 'heartbeat' | 'release' | 'complete' | 'fail'> {
  return {
    // Not an async function: of thousands of agents that wait, each would keep its frame.
    take: ({ colony, caller: { agent }, body, gone }) => {
      const { paths, labels, intent } = body;
      const waitMs = boundedWait(body.waitMs);
      const refused = refusedGlob(paths);
      if (refused !== null) return Promise.resolve(no(refused));
      return colony
        .take({ agent: agent.id, waitMs, paths, labels, intent, gone })
        .then((answer) => answered(answer, (taken) => takeBody(colony, agent, taken)));
    },
    heartbeat: async ({ colony, caller, body }) => {
      const refused = refusedGlob(body.claims);
      if (refused !== null) return no(refused);
      const reads = body.reads.map(({ path, pathBase64, blob, source, at = null }) => {
        return { path: requestedPath(path, pathBase64), blob, at, source };
      });
      for (const { path } of reads) {
        const wrong = refusedPath(path);
        if (wrong !== null) return no(wrong);
      }
      const command = { kind: 'heartbeat', agent: caller.agent.id, ...body, reads } as const;
      return answered(await colony.submit(command), ({ expiresAt }) => ({
        expiresAt: timeTextOrNull(expiresAt),
        notices: noticesFor(colony, caller.agent.id),
      }));
    },
    release: async ({ colony, caller, body }) =>
      answered(await colony.submit({ kind: 'release', agent: caller.agent.id, ...body }), () => ({
        lease: body.lease,
        ended: 'released' as const,
        notices: noticesFor(colony, caller.agent.id),
      })),
    complete: async ({ colony, caller, body }) =>
      answered(await colony.submit({ kind: 'complete', agent: caller.agent.id, ...body }), () => ({
        lease: body.lease,
        ended: 'completed' as const,
        notices: noticesFor(colony, caller.agent.id),
      })),
    fail: async ({ colony, caller, body }) =>
      answered(await colony.submit({ kind: 'fail', agent: caller.agent.id, ...body }), () => ({
        lease: body.lease,
        ended: 'failed' as const,
        notices: noticesFor(colony, caller.agent.id),
      })),
  };
}

function takeBody(colony: Colony, { id: agent, workspace: kind }: Agent, answer: TakeAnswer): TakeResponse {
  const notices = noticesFor(colony, agent);
  if (answer.kind === 'wait') {
    const { reason, retryAfterMs } = answer;
    return { wait: { reason, retryAfterMs }, notices };
  }
  const { grant, intent, waitedMs } = answer;
  const { id, title, body, returns } = intent;
  return {
    intent: {
      id,
      title,
      body,
      paths: [...intent.paths],
      learnedPaths: [...intent.learnedPaths],
      labels: [...intent.labels],
      returns,
    },
    lease: { id: grant.lease, epoch: grant.epoch, expiresAt: timeText(grant.expiresAt) },
    base: { commit: grant.base },
    // Agents that keep files fetch from the colony's repository; a ref workspace reads over the interface.
    workspace:
      kind === 'ref' ? { kind } : { kind, remote: colony.repository, ref: `refs/heads/${colony.state.branch}` },
    lessons: [],
    ...(waitedMs > 0 ? { waitedMs } : {}),
    notices,
  };
}
