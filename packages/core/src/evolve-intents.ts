// How intents change.

import type { IntentId } from '@firetrident/base';
import type { EventOf } from './event.ts';
import { dropIntent, intentOf, putIntent } from './evolve-put.ts';
import { takeId } from './identity.ts';
import { learn } from './learning.ts';
import { medianLife } from './life-time.ts';
import type { Intent } from './model.ts';
import { type ColonyState, memory, remember } from './state.ts';

/** A new intent, open. */
export function intentCreated(state: ColonyState, event: EventOf<'intent-created'>): void {
  takeId(state, event.intent);
  const { title, body, paths, priority, after, parent, labels, key } = event.draft;
  const intent: Intent = {
    id: event.intent,
    key,
    title,
    body,
    paths,
    learnedPaths: event.learnedPaths ?? [],
    priority,
    after,
    waitingOn: event.waitingOn,
    parent,
    labels,
    state: 'open',
    createdAt: event.at,
    returns: 0,
    attempts: 0,
    lease: null,
    epoch: 0,
    duplicateOf: event.duplicateOf,
    reason: null,
    landings: [],
  };
  putIntent(state, intent, event.at);
}

/** The history before the colony began was learned from (T5b). */
export function historyLearned(state: ColonyState, event: EventOf<'history-learned'>): void {
  state.historyLearned = true;
  for (const change of event.changes) learn(state, change);
}

/** The list as it was when both say the same: nothing is filed again then. */
function sameList(after: readonly string[], before: readonly string[]): readonly string[] {
  return after.length === before.length && after.every((path, place) => path === before[place]) ? before : after;
}

/** Fields of an intent changed. */
export function intentEdited(state: ColonyState, event: EventOf<'intent-edited'>): void {
  const { state: _ended, ...fields } = event.change;
  const intent = intentOf(state, event.intent);
  const learnedPaths = event.learnedPaths ?? intent.learnedPaths;
  putIntent(state, { ...intent, ...fields, learnedPaths: sameList(learnedPaths, intent.learnedPaths) }, event.at);
}

/** An intent is open again. */
export function intentOpened(state: ColonyState, event: EventOf<'intent-opened'>): void {
  const { attempts, reason } = event;
  putIntent(state, { ...intentOf(state, event.intent), state: 'open', attempts, reason }, event.at);
}

/** An intent waits for a person (T8c). */
export function intentBlocked(state: ColonyState, event: EventOf<'intent-blocked'>): void {
  const { attempts, reason } = event;
  putIntent(state, { ...intentOf(state, event.intent), state: 'blocked', attempts, reason }, event.at);
}

/** An intent is given up (I5). */
export function intentAbandoned(state: ColonyState, event: EventOf<'intent-abandoned'>): void {
  const { reason } = event;
  putIntent(state, { ...intentOf(state, event.intent), state: 'abandoned', reason }, event.at);
}

/** Landed or closed: the intent leaves the state, and whoever waits on it waits no more for it (T1c). */
export function intentSettled(state: ColonyState, event: EventOf<'intent-landed' | 'intent-closed'>): void {
  const { intent: id, at } = event;
  const outcome = event.kind === 'intent-landed' ? 'landed' : 'closed';
  const { key, createdAt } = intentOf(state, id);
  if (outcome === 'landed') state.lifeMs = medianLife(state.lifeMs, at - createdAt);
  dropIntent(state, id, at);
  if (key !== null) state.index.recentIntentKeys.set(key, id);
  const forgotten = remember(state.recentIntents, id, { key, state: outcome }, memory.recentIntents);
  if (forgotten !== null && forgotten[1].key !== null) state.index.recentIntentKeys.delete(forgotten[1].key);
  const field = outcome === 'landed' ? 'intentsLanded' : 'intentsClosed';
  state.totals = { ...state.totals, [field]: state.totals[field] + 1 };
  for (const dependent of [...(state.index.dependents.get(id) ?? [])]) stopWaiting(state, dependent, id, at);
}

function stopWaiting(state: ColonyState, dependent: IntentId, on: IntentId, at: number): void {
  const intent = intentOf(state, dependent);
  putIntent(state, { ...intent, waitingOn: intent.waitingOn.filter((other) => other !== on) }, at);
}
