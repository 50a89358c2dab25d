// Creating and editing intents.

import { type IntentId, ok, type TreePath } from '@firetrident/base';
import { type Applying, type Decision, done } from './applying.ts';
import { resolveAll } from './attention.ts';
import type { CommandOf, IntentChange, IntentDraft } from './command.ts';
import { nearDuplicates } from './duplicates.ts';
import { nextId } from './identity.ts';
import { predict } from './learning.ts';
import { endLease } from './lease-end.ts';
import type { Intent, IntentState } from './model.ts';
import type { Refusal } from './refusal.ts';
import type { ColonyState } from './state.ts';

type Create = CommandOf<'create-intents'>;

/** Creates all drafts or none (I1). A key that is known names the intent that has it (I2). */
export function createIntents(applying: Applying, command: Create): Decision<'create-intents'> {
  const { state } = applying;
  const refusal = checkDrafts(state, command);
  if (refusal !== null) return applying.refuse(refusal);
  return ok({ intents: command.drafts.map((draft) => createIntent(applying, command, draft)) });
}

function checkDrafts(state: ColonyState, command: Create): Refusal | null {
  const { limits } = state.policy;
  const keys = new Set<string>();
  let fresh = 0;
  for (const draft of command.drafts) {
    const { key, paths } = draft;
    if (key !== null && (keys.has(key) || intentByKey(state, command, key) !== null)) continue;
    if (key !== null) keys.add(key);
    fresh += 1;
    if (paths.length > limits.pathsPerIntent) return limitReached('pathsPerIntent', limits.pathsPerIntent);
    const named = draft.parent === null ? draft.after : [...draft.after, draft.parent];
    const unknown = named.find((id) => stateOfIntent(state, command, id) === null);
    if (unknown !== undefined) return { code: 'unknown_dependency', dependency: unknown };
  }
  if (state.intents.size + fresh > limits.liveIntents) return limitReached('liveIntents', limits.liveIntents);
  return null;
}

function createIntent(applying: Applying, command: Create, draft: IntentDraft) {
  const { state } = applying;
  const known = draft.key === null ? null : intentByKey(state, command, draft.key);
  if (known !== null) {
    const intent = state.intents.get(known);
    const intentState = stateOfIntent(state, command, known) ?? 'landed';
    return { id: known, key: draft.key, state: intentState, duplicateOf: intent?.duplicateOf ?? [], known: true };
  }
  const after = [...new Set(draft.after)];
  const waitingOn = after.filter((id) => !isMet(stateOfIntent(state, command, id)));
  const duplicateOf = nearDuplicates(state, draft);
  const intent = nextId(state, 'int');
  const learnedPaths = learnedFor(state, draft.paths, draft.title);
  applying.emit({ kind: 'intent-created', intent, draft: { ...draft, after }, learnedPaths, waitingOn, duplicateOf });
  return { id: intent, key: draft.key, state: 'open' as const, duplicateOf, known: false };
}

function intentByKey(state: ColonyState, command: Create, key: string): IntentId | null {
  // One that left the state after the caller had looked into the archive is still known as recent.
  const { intentKeys, recentIntentKeys } = state.index;
  return intentKeys.get(key) ?? recentIntentKeys.get(key) ?? command.archivedKeys.get(key) ?? null;
}

function stateOfIntent(state: ColonyState, command: Create, id: IntentId): IntentState | null {
  return state.intents.get(id)?.state ?? state.recentIntents.get(id)?.state ?? command.archived.get(id) ?? null;
}

/** A dependency is met when it is landed or closed (T1b). */
function isMet(state: IntentState | null): boolean {
  return state === 'landed' || state === 'closed';
}

/** What is learned of the paths of work that predicts none (T5a). */
export function learnedFor(state: ColonyState, paths: readonly string[], title: string): readonly TreePath[] {
  return paths.length > 0 ? [] : predict(state, title);
}

/** Learns from the history before the colony began, once (T5b). */
export function learnHistory(applying: Applying, command: CommandOf<'learn-history'>): Decision<'learn-history'> {
  if (!applying.state.historyLearned) applying.emit({ kind: 'history-learned', changes: command.changes });
  return done;
}

/** Changes what an intent says, abandons it, or opens it again (I4, I5). */
export function editIntent(applying: Applying, command: CommandOf<'edit-intent'>): Decision<'edit-intent'> {
  const { state } = applying;
  const intent = state.intents.get(command.intent);
  if (intent === undefined) return applying.refuse(missingIntent(state, command.intent));
  const { state: wanted, ...fields } = command.change;
  if (wanted === undefined && Object.keys(fields).length === 0) return applying.refuse({ code: 'no_change' });
  const bound = state.policy.limits.pathsPerIntent;
  if ((fields.paths?.length ?? 0) > bound) return applying.refuse(limitReached('pathsPerIntent', bound));
  if (!mayBecome(intent, wanted)) {
    return applying.refuse({ code: 'intent_not_editable', intent: intent.id, state: intent.state });
  }
  if (Object.keys(fields).length > 0) {
    const { title, paths } = { ...intent, ...fields };
    const learnedPaths = learnedFor(state, paths, title);
    applying.emit({ kind: 'intent-edited', intent: intent.id, change: fields, learnedPaths });
  }
  changeState(applying, intent, wanted);
  return done;
}

/** Nothing is abandoned while a proposal of it is queued; only what stands still can be opened again (I5). */
function mayBecome(intent: Intent, wanted: IntentChange['state']): boolean {
  if (wanted === undefined) return true;
  if (wanted === 'abandoned') return intent.state !== 'proposed';
  return intent.state === 'open' || intent.state === 'blocked' || intent.state === 'abandoned';
}

function changeState(applying: Applying, intent: Intent, wanted: IntentChange['state']): void {
  const { id } = intent;
  if (wanted === 'abandoned' && intent.state !== 'abandoned') {
    if (intent.lease !== null) endLease(applying, intent.lease, 'intent-abandoned', 'released');
    resolveAll(applying, 'intent-blocked', id);
    applying.emit({ kind: 'intent-abandoned', intent: id, reason: null });
  } else if (wanted === 'open' && intent.state !== 'open') {
    const attempts = intent.state === 'blocked' ? 0 : intent.attempts;
    resolveAll(applying, 'intent-blocked', id);
    applying.emit({ kind: 'intent-opened', intent: id, attempts, reason: null });
  }
}

/** The refusal for an intent that is not live: over, or never heard of. */
export function missingIntent(state: ColonyState, id: IntentId): Refusal {
  const recent = state.recentIntents.get(id);
  if (recent === undefined) return { code: 'unknown_intent', intent: id };
  return { code: 'intent_not_editable', intent: id, state: recent.state };
}

function limitReached(limit: 'pathsPerIntent' | 'liveIntents', bound: number): Refusal {
  return { code: 'limit_reached', limit, bound };
}
