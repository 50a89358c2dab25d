// Finding intents that ask for nearly the same (T7). They are reported and linked, never refused.

import { type IntentId, normaliseTitle, textWords, wordOverlap } from '@firetrident/base';
import type { IntentDraft } from './command.ts';
import { intentOf } from './evolve-put.ts';
import { filedUnder, pathSetKey } from './index-of-state.ts';
import { type ColonyState, remember } from './state.ts';

/** Duplicates named at most. */
const namedAtMost = 16;
/** Intents with the same paths whose text is compared: the newest ones, so that a bulk import stays linear. */
const comparedAtMost = 8;
/** Characters of a body that are compared. */
const comparedCharacters = 2_000;
/** Share of common words from which two texts ask for the same. */
const sameText = 0.8;

/** Texts whose words are kept for the next comparison. */
const wordsKept = 512;

/** Live intents with the same normalised title, or with the same predicted paths and mostly the same words (T7). */
export function nearDuplicates(state: ColonyState, draft: IntentDraft): readonly IntentId[] {
  const { titles, pathSets } = state.index;
  const title = normaliseTitle(draft.title);
  const found = new Set(title === '' ? [] : firstOf(filedUnder(titles, title), namedAtMost));
  const samePaths =
    draft.paths.length === 0 ? [] : firstOf(filedUnder(pathSets, pathSetKey(draft.paths)), comparedAtMost);
  const words = samePaths.length === 0 ? null : wordsOf(draft);
  for (const id of samePaths) {
    if (words !== null && wordOverlap(words, wordsOfIntent(state, id)) >= sameText) found.add(id);
  }
  return [...found].filter((id) => state.intents.get(id)?.state !== 'abandoned').slice(0, namedAtMost);
}

function wordsOfIntent(state: ColonyState, id: IntentId): ReadonlySet<string> {
  const known = state.index.words.get(id);
  if (known !== undefined) return known;
  const words = wordsOf(intentOf(state, id));
  remember(state.index.words, id, words, wordsKept);
  return words;
}

function wordsOf(intent: { readonly title: string; readonly body: string }): ReadonlySet<string> {
  return textWords(`${intent.title} ${intent.body.slice(0, comparedCharacters)}`);
}

function firstOf<T>(items: Iterable<T>, bound: number): readonly T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === bound) break;
    first.push(item);
  }
  return first;
}
