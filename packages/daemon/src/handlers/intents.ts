// Intents: created, listed, edited.

import { type IntentId, no, ok } from '@firetrident/base';
import { intentBody, intentChange, intentDraft } from '../convert/intents.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import { refusalFacts } from '../errors.ts';
import { answered, queryNumber } from './answer.ts';
import { refusedGlob } from './globs.ts';

/** Rows of a page unless asked otherwise. */
const pageRows = 100;

/** Handlers of intents. */
export function intentHandlers(): HandlersOf<'createIntents' | 'listIntents' | 'readIntent' | 'editIntent'> {
  return {
    createIntents: async ({ colony, body }) => {
      const refused = refusedGlob(body.intents.flatMap(({ paths }) => paths));
      if (refused !== null) return no(refused);
      return answered(await colony.createIntents(body.intents.map(intentDraft)), ({ intents }) => ({
        intents: intents.map(({ id, key, state, duplicateOf, known }) => ({
          id,
          ...(key === null ? {} : { key }),
          state,
          ...(known ? { known } : {}),
          ...(duplicateOf.length === 0 ? {} : { duplicateOf: [...duplicateOf] }),
        })),
      }));
    },
    listIntents: async ({ colony, query }) => {
      const limit = queryNumber(query.limit, pageRows);
      const after = query.after ?? null;
      if (after !== null) {
        const known = await colony.intent(after);
        if (!known.ok) return no(refusalFacts(known.error));
      }
      // One row more than asked tells whether there is a next page.
      const rows = await colony.intents({ state: query.state ?? null, limit: limit + 1, after });
      if (!rows.ok) return no(refusalFacts(rows.error));
      const page = rows.value.slice(0, limit);
      const last = page.at(-1);
      const next = rows.value.length > limit && last !== undefined ? { next: last.id } : {};
      return ok({ body: { intents: page.map(intentBody), ...next } });
    },
    readIntent: async ({ colony, segments }) => answered(await colony.intent(segments.intent as IntentId), intentBody),
    editIntent: async ({ colony, segments, body }) => {
      const refused = refusedGlob(body.paths ?? []);
      if (refused !== null) return no(refused);
      const intent = segments.intent as IntentId;
      const edited = await colony.submit({ kind: 'edit-intent', intent, change: intentChange(body) });
      if (!edited.ok) return no(refusalFacts(edited.error));
      return answered(await colony.intent(intent), intentBody);
    },
  };
}
