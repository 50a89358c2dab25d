// Looking: files and folders, landings and their reasons, preserved work, the field, what waits for a person.

import { type AttentionId, type LandingId, type LeaseId, no, ok, type Result } from '@firetrident/base';
import type { AttentionItem } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import type { ErrorFacts } from '@firetrident/protocol';
import type { Caller } from '../auth.ts';
import { fieldBody, lanesBody } from '../convert/field.ts';
import { landingBody, landingRowBody, preservedBody, treeBody, whyBody } from '../convert/landings.ts';
import { requestedPath } from '../convert/paths.ts';
import { timeText } from '../convert/times.ts';
import type { Call, HandlersOf, Reply } from '../endpoint-types.ts';
import { errorFacts, refusalFacts } from '../errors.ts';
import { answered, queryNumber } from './answer.ts';
import { askedFolder, refusedPath } from './asked-path.ts';

/** Rows of a page unless asked otherwise. */
const pageRows = 100;

/** Handlers of those who look. */
export function lookingHandlers(): HandlersOf<
  | 'readFile'
  | 'readTree'
  | 'listLandings'
  | 'readLanding'
  | 'revertLanding'
  | 'why'
  | 'listPreserved'
  | 'readField'
  | 'readLanes'
  | 'listAttention'
  | 'resolveAttention'
> {
  return {
    readFile,
    readTree: async ({ colony, caller, path, query }) => {
      const folder = askedFolder(path);
      if (!folder.ok) return folder;
      const lease = leaseOf(colony, caller, query.lease);
      if (!lease.ok) return lease;
      return answered(
        await colony.readTree({ path: folder.value, at: query.at ?? null, lease: lease.value }),
        treeBody,
      );
    },
    listLandings,
    readLanding: async ({ colony, segments }) =>
      answered(await colony.landing(segments.landing as LandingId), landingBody),
    revertLanding: async ({ colony, segments }) =>
      answered(await colony.revert(segments.landing as LandingId), (made) => made),
    why: async ({ colony, query }) => {
      const wanted = (query.path === undefined) === (query.pathBase64 === undefined);
      if (wanted)
        return no(
          errorFacts('invalid_request', 'path', null, { message: 'path: one of path, pathBase64 is required.' }),
        );
      const path = requestedPath(query.path, query.pathBase64);
      const refused = refusedPath(path);
      if (refused !== null) return no(refused);
      return answered(await colony.why(path, Number(query.line)), whyBody);
    },
    listPreserved: async ({ colony }) => answered(await colony.preserved(), preservedBody),
    readField: async ({ colony }) => ok({ body: fieldBody(colony.state, colony.now()) }),
    readLanes: async ({ colony }) => ok({ body: lanesBody(colony.state, colony.now()) }),
    listAttention: async ({ colony }) =>
      ok({ body: { attention: [...colony.state.attention.values()].map(attentionBody) } }),
    resolveAttention: async ({ colony, segments }) => {
      const attention = segments.attention as AttentionId;
      return answered(await colony.submit({ kind: 'resolve-attention', attention }), () => ({
        id: attention,
        resolved: true as const,
      }));
    },
  };
}

async function readFile({
  colony,
  caller,
  path,
  query,
  isTool,
}: Call<'readFile'>): Promise<Result<Reply<'readFile'>, ErrorFacts>> {
  const refused = refusedPath(path);
  if (refused !== null) return no(refused);
  const lease = leaseOf(colony, caller, query.lease);
  if (!lease.ok) return lease;
  const source = isTool === true ? 'mcp' : 'served';
  const file = await colony.readFile({ path, at: query.at ?? null, lease: lease.value, source });
  if (!file.ok) return no(refusalFacts(file.error));
  const { entry, commit, bytes } = file.value;
  return ok({
    bytes,
    headers: {
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'x-firetrident-blob': entry.oid,
      'x-firetrident-mode': entry.mode,
      'x-firetrident-commit': commit,
    },
  });
}

async function listLandings({
  colony,
  query,
}: Call<'listLandings'>): Promise<Result<Reply<'listLandings'>, ErrorFacts>> {
  const limit = queryNumber(query.limit, pageRows);
  const after = query.after ?? null;
  if (after !== null) {
    const known = await colony.landing(after);
    if (!known.ok) return no(refusalFacts(known.error));
  }
  // One row more than asked tells whether there is a next page.
  const rows = await colony.landings({ after, limit: limit + 1 });
  if (!rows.ok) return no(refusalFacts(rows.error));
  const page = rows.value.slice(0, limit);
  const last = page.at(-1);
  const next = rows.value.length > limit && last !== undefined ? { next: last.landing } : {};
  return ok({ body: { landings: page.map(landingRowBody), ...next } });
}

/** The lease under which an agent reads: the one it names, else its newest; nobody else reads under one. */
function leaseOf(colony: Colony, caller: Caller, named: string | undefined): Result<LeaseId | null, ErrorFacts> {
  if (caller.kind !== 'agent') {
    return named === undefined ? ok(null) : no(errorFacts('forbidden', named));
  }
  if (named === undefined) return ok(caller.agent.leases.at(-1) ?? null);
  const lease = colony.state.leases.get(named as LeaseId);
  if (lease === undefined) return no(errorFacts('unknown_lease', named));
  return lease.agent === caller.agent.id ? ok(lease.id) : no(errorFacts('not_your_lease', named));
}

function attentionBody(item: AttentionItem) {
  return {
    id: item.id,
    kind: item.kind,
    message: item.message,
    at: timeText(item.at),
    ...(item.proposal === null ? {} : { proposal: item.proposal }),
    ...(item.intent === null ? {} : { intent: item.intent }),
  };
}
