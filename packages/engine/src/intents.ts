// Creating, finding and paging intents across what is live and what is archived.

import { type IntentId, no, ok, type Result } from '@firetrident/base';
import type { ArchivedIntent, Intent, IntentDraft, IntentState, Replies } from '@firetrident/core';
import type { ColonyRefusal } from './colony.ts';
import type { Session } from './session.ts';

/** Archived rows looked at per page request when a state is asked for. */
const archivedLooks = 10_000;

export async function createIntents(
  session: Session,
  drafts: readonly IntentDraft[],
): Promise<Result<Replies['create-intents'], ColonyRefusal>> {
  const submitted = session.submit({ kind: 'create-intents', drafts, ...(await archivedFor(session, drafts)) });
  await submitted.durable;
  return submitted.reply as Result<Replies['create-intents'], ColonyRefusal>;
}

/** What drafts name that is archived already: intents with their states, and keys. */
export async function archivedFor(
  session: Session,
  drafts: readonly IntentDraft[],
): Promise<{ archived: ReadonlyMap<IntentId, IntentState>; archivedKeys: ReadonlyMap<string, IntentId> }> {
  const archived = new Map<IntentId, IntentState>();
  const archivedKeys = new Map<string, IntentId>();
  for (const draft of drafts) {
    const named = draft.parent === null ? draft.after : [...draft.after, draft.parent];
    for (const id of named) {
      if (session.state.intents.has(id) || archived.has(id)) continue;
      const row = await session.shelf.intent(id);
      if (row !== null) archived.set(id, row.state);
    }
    if (draft.key === null) continue;
    const row = await session.shelf.intentByKey(draft.key);
    if (row === null) continue;
    archivedKeys.set(draft.key, row.id);
    archived.set(row.id, row.state);
  }
  return { archived, archivedKeys };
}

export async function findIntent(
  session: Session,
  id: IntentId,
): Promise<Result<Intent | ArchivedIntent, ColonyRefusal>> {
  const intent = session.state.intents.get(id) ?? (await session.shelf.intent(id));
  return intent === null ? no({ code: 'unknown_intent', intent: id }) : ok(intent);
}

/** Live intents newest first, then archived ones, the last archived first. */
export async function pageIntents(
  session: Session,
  options: { state: IntentState | null; limit: number; after: IntentId | null },
): Promise<(Intent | ArchivedIntent)[]> {
  const matches = (intent: { readonly state: IntentState }) => options.state === null || intent.state === options.state;
  const live = session.state.intents;
  const page: (Intent | ArchivedIntent)[] = [];
  if (options.after === null || live.has(options.after)) {
    let passed = options.after === null;
    for (const intent of [...live.values()].reverse()) {
      if (page.length === options.limit) return page;
      if (passed && matches(intent)) page.push(intent);
      if (intent.id === options.after) passed = true;
    }
  }
  let cursor = options.after !== null && !live.has(options.after) ? options.after : null;
  for (let looked = 0; looked < archivedLooks && page.length < options.limit; ) {
    const rows = await session.shelf.intents(cursor, 500);
    if (rows.length === 0) break;
    for (const row of rows) if (page.length < options.limit && matches(row)) page.push(row);
    cursor = (rows[rows.length - 1] as ArchivedIntent).id;
    looked += rows.length;
  }
  return page;
}
