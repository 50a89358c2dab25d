// Colonies: made, listed, looked at, deleted; their policy and whether they land.

import { basename } from 'node:path';
import { no, ok } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import {
  type ErrorFacts,
  type ParsedRequestOf,
  type PolicyRequest,
  unsupportedDecide,
  unsupportedPolicyField,
} from '@firetrident/protocol';
import type { ColonyDirectory, RepositorySource } from '../colony-directory.ts';
import { colonyBody, colonyRowBody, trunkBody } from '../convert/colony.ts';
import { changedPolicy, foundingPolicy, policyBody } from '../convert/policy.ts';
import { timeText } from '../convert/times.ts';
import type { Call, HandlersOf } from '../endpoint-types.ts';
import { errorFacts, refusalFacts } from '../errors.ts';
import { answered } from './answer.ts';
import { createBacklog, readBacklog } from './backlog.ts';
import { refusedGlob } from './globs.ts';

type CreateBody = ParsedRequestOf<'createColony'>;

/** Handlers of colonies. */
export function colonyHandlers(
  directory: ColonyDirectory,
): HandlersOf<
  'createColony' | 'listColonies' | 'readColony' | 'deleteColony' | 'setTrunk' | 'setPolicy' | 'setDecidePolicy'
> {
  const turns = new PolicyTurns();
  return {
    createColony: (call) => createColony(directory, call.body),
    listColonies: async () => ok({ body: { colonies: directory.list().map(colonyRowBody) } }),
    readColony: async ({ colony }) => ok({ body: colonyBody(colony) }),
    deleteColony: async ({ colony, body }) => {
      if (body.confirm !== colony.id) return no(errorFacts('confirmation_mismatch', body.confirm));
      return answered(await directory.remove(colony.id), () => ({ id: colony.id, deleted: true as const }));
    },
    setTrunk: async ({ colony, body }) =>
      answered(await colony.setPaused(body.paused), () => ({ trunk: trunkBody(colony.state) })),
    setPolicy: ({ colony, body }) => turns.take(colony, () => setPolicy(colony, body)),
    setDecidePolicy: async ({ body }: Call<'setDecidePolicy'>) => {
      if (unsupportedDecide(body)) return no(errorFacts('policy_not_supported', 'decide'));
      return ok({ body: { enabled: false as const } });
    },
  };
}

/** Lets one change of a colony's policy happen after the other: each is read, merged and set. */
class PolicyTurns {
  readonly #last = new WeakMap<Colony, Promise<unknown>>();

  take<T>(colony: Colony, change: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(colony) ?? Promise.resolve()).then(change, change);
    this.#last.set(colony, turn);
    return turn;
  }
}

async function setPolicy(colony: Colony, request: PolicyRequest) {
  const refused = refusedPolicy(request);
  if (refused !== null) return no(refused);
  const policy = changedPolicy(colony.state.policy, request);
  return answered(await colony.submit({ kind: 'set-policy', policy }), () => ({ policy: policyBody(policy) }));
}

/** Refuses fields that have no rules by name, and globs that are none. */
function refusedPolicy(request: PolicyRequest): ErrorFacts | null {
  const field = unsupportedPolicyField(request);
  if (field !== null) return errorFacts('policy_not_supported', field);
  return refusedGlob([
    ...(request.strict ?? []),
    ...(request.globalInputs ?? []),
    ...Object.keys(request.reads?.paths ?? {}),
    ...Object.keys(request.merge ?? {}),
  ]);
}

async function createColony(directory: ColonyDirectory, body: CreateBody) {
  const refused = body.policy === undefined ? null : refusedPolicy(body.policy);
  if (refused !== null) return no(refused);
  const backlog = body.spec === undefined ? null : readBacklog(body.spec);
  if (backlog !== null && !backlog.ok) return backlog;
  const created = await directory.create({
    id: body.id ?? freeId(directory, body),
    source: sourceOf(body),
    branch: body.branch ?? null,
    policy: foundingPolicy(body.policy),
  });
  if (!created.ok) return no(refusalFacts(created.error));
  const colony = created.value;
  const intents = backlog === null ? ok([]) : await createBacklog(colony, backlog.value);
  if (!intents.ok) {
    // Nothing half-applied: a colony without the backlog it was asked with is taken back.
    await directory.remove(colony.id);
    return no(refusalFacts(intents.error));
  }
  const { state } = colony;
  return ok({
    body: {
      id: colony.id,
      trunk: trunkBody(state),
      repository: colony.repository,
      policy: policyBody(state.policy),
      createdAt: timeText(state.createdAt),
      intents: [...intents.value],
    },
  });
}

function sourceOf(body: CreateBody): RepositorySource {
  if (body.repo?.path !== undefined) return { kind: 'path', path: body.repo.path };
  if (body.repo?.url !== undefined) return { kind: 'url', url: body.repo.url };
  return { kind: 'empty' };
}

/** An id that no colony has: the repository's name, or `colony`, with a number when that is taken. */
function freeId(directory: ColonyDirectory, body: CreateBody): string {
  const name = basename(body.repo?.path ?? body.repo?.url ?? 'colony')
    .replace(/\.git$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  const stem = name === '' ? 'colony' : name;
  let id = stem;
  for (let number = 2; directory.get(id) !== null; number += 1) id = `${stem}-${number}`;
  return id;
}
