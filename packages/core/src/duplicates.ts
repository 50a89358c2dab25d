// Finding intents that ask for nearly the same (T7). They are reported and linked, never refused.

import { type IntentId, normaliseTitle, textOverlap } from '@firetrident/base';
import type { IntentDraft } from './command.ts';
import { pathSetKey } from './index-of-state.ts';
import type { ColonyState } from './state.ts';

/** Duplicates named at most. */
const namedAtMost = 16;
/** Intents with the same paths whose text is compared: the newest ones, so that a bulk import stays linear. */
const comparedAtMost = 8;
/** Characters of a body that are compared. */
const comparedCharacters = 2_000;
/** Share of common words from which two texts ask for the same. */
const sameText = 0.8;

/** Live intents with the same normalised title, or with the same predicted paths and mostly the same words (T7). */
export function nearDuplicates(state: ColonyState, draft: IntentDraft): readonly IntentId[] {
  const found = new Set<IntentId>();
  const title = normaliseTitle(draft.title);
  for (const id of firstOf(title === '' ? undefined : state.index.titles.get(title), namedAtMost)) found.add(id);
  const samePaths = draft.paths.length === 0 ? undefined : state.index.pathSets.get(pathSetKey(draft.paths));
  for (const id of firstOf(samePaths, comparedAtMost)) {
    const other = state.intents.get(id);
    if (other !== undefined && textOverlap(textOf(draft), textOf(other)) >= sameText) found.add(id);
  }
  return [...found].filter((id) => state.intents.get(id)?.state !== 'abandoned').slice(0, namedAtMost);
}

function textOf(intent: { readonly title: string; readonly body: string }): string {
  return `${intent.title} ${intent.body.slice(0, comparedCharacters)}`;
}

function firstOf<T>(items: Iterable<T> | undefined, bound: number): readonly T[] {
  const first: T[] = [];
  if (items !== undefined) {
    for (const item of items) {
      if (first.length === bound) break;
      first.push(item);
    }
  }
  return first;
}
