// Proposals: handed in, repaired, asked about; blobs sent ahead.

import { type AgentId, no, ok, type ProposalId, type Result } from '@firetrident/base';
import { type ProposalStatus, reservedUntil } from '@firetrident/core';
import type { Colony, ColonyRefusal, RequestedRead, RequestedWrite } from '@firetrident/engine';
import type { ErrorFacts, ParsedRequestOf, ProposalStatusResponse } from '@firetrident/protocol';
import { noticesFor } from '../convert/notices.ts';
import { requestedRead, requestedWrite, statusBody } from '../convert/proposals.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import { errorFacts, refusalFacts } from '../errors.ts';
import { answered, boundedWait, queryNumber } from './answer.ts';
import { askedFolder, refusedPath } from './asked-path.ts';
import { refusedGlob } from './globs.ts';

type Reply = Result<{ readonly body: ProposalStatusResponse; readonly status?: number }, ErrorFacts>;

/** Handlers of proposals and blobs. */
export function proposalHandlers(): HandlersOf<'propose' | 'repair' | 'readProposal' | 'putBlob'> {
  return {
    propose: async ({ colony, caller, query, body }) => {
      const content = contentOf(body);
      if (!content.ok) return content;
      const { lease, epoch, final, title, message, key, deriveReads, usage } = body;
      const status = await colony.propose({
        agent: caller.agent.id,
        lease,
        epoch,
        base: typeof body.base === 'string' ? { commit: body.base } : body.base,
        final,
        deriveReads,
        title,
        message,
        key,
        tokens: usage?.tokens ?? 0,
        ...content.value,
      });
      return settled(colony, caller.agent.id, status, boundedWait(queryNumber(query.waitMs, 0)), {});
    },
    repair: async ({ colony, caller, query, body }) => {
      const content = contentOf(body);
      if (!content.ok) return content;
      const { lease, epoch, proposal, answer, base, key, deriveReads, usage } = body;
      const status = await colony.repair({
        agent: caller.agent.id,
        lease,
        epoch,
        proposal,
        answer,
        base,
        key,
        deriveReads,
        tokens: usage?.tokens ?? 0,
        ...content.value,
      });
      return settled(colony, caller.agent.id, status, boundedWait(queryNumber(query.waitMs, 0)), {
        repairOf: proposal,
      });
    },
    readProposal: async ({ colony, caller, segments, query }) =>
      answered(
        await colony.outcome(segments.proposal as ProposalId, boundedWait(queryNumber(query.waitMs, 0))),
        (status) => ({
          ...statusBody(status, reservedUntil(colony.state, status.proposal)),
          ...(caller.kind === 'agent' ? { notices: noticesFor(colony, caller.agent.id) } : {}),
        }),
      ),
    putBlob: async ({ colony, body }) => answered(await colony.putBlob(body), (blob) => ({ blob })),
  };
}

/** The answer to a propose: 202 while it is queued, 200 with its outcome when that came within the wait. */
async function settled(
  colony: Colony,
  agent: AgentId,
  sent: Result<ProposalStatus, ColonyRefusal>,
  waitMs: number,
  link: { readonly repairOf?: ProposalId },
): Promise<Reply> {
  if (!sent.ok) return no(refusalFacts(sent.error));
  let status = sent.value;
  if (status.state === 'queued' && waitMs > 0) {
    const outcome = await colony.outcome(status.proposal, waitMs);
    // The proposal itself is durable: what went wrong while waiting must not look like a refusal of it.
    if (outcome.ok) status = outcome.value;
  }
  const body = {
    ...statusBody(status, reservedUntil(colony.state, status.proposal)),
    ...link,
    notices: noticesFor(colony, agent),
  };
  return ok({ body, status: status.state === 'queued' ? 202 : 200 });
}

interface Content {
  readonly writes: readonly RequestedWrite[];
  readonly reads: readonly RequestedRead[];
}

function contentOf(body: Pick<ParsedRequestOf<'propose'>, 'writes' | 'reads'>): Result<Content, ErrorFacts> {
  for (const sent of [...body.writes, ...body.reads]) {
    const text = sent.path ?? ('dir' in sent ? sent.dir : undefined);
    // A lone surrogate stands for a byte inside; from outside such names come as pathBase64 only.
    if (text !== undefined && !text.isWellFormed()) return no(errorFacts('path_invalid', text));
  }
  const reads: RequestedRead[] = [];
  for (const sent of body.reads) {
    const read = declaredRead(requestedRead(sent));
    if (!read.ok) return read;
    reads.push(read.value);
  }
  return ok({ writes: body.writes.map(requestedWrite), reads });
}

/** A read in its one spelling, or why it cannot be one. */
function declaredRead(read: RequestedRead): Result<RequestedRead, ErrorFacts> {
  if (read.kind === 'glob') {
    const refused = refusedGlob([read.glob]);
    return refused === null ? ok(read) : no(refused);
  }
  if (read.kind === 'dir') {
    const folder = askedFolder(read.path);
    return folder.ok ? ok({ ...read, path: folder.value }) : folder;
  }
  const refused = refusedPath(read.path);
  return refused === null ? ok(read) : no(refused);
}
