// What must be done so that a colony and the backlog that its intents come from agree again.
//
// It never knows the daemon: intents and a backlog come in, a plan comes out.
//
// Invariants:
//   BS1. Intents that did not come from this kind of backlog are never touched.
//   BS2. The backlog decides what there is to do and how it reads; the colony decides what has landed.
//   BS3. What is not named by the backlog any more is only withdrawn when the backlog is said to name everything.

import type { Backlog, BacklogFormat, Draft } from '@firetrident/content';
import type { ListedIntent } from './intent-pages.ts';

/** The fields of an intent that a backlog gives and that can be edited. */
export type IntentEdit = Partial<Pick<ListedIntent, 'title' | 'body' | 'paths' | 'priority' | 'labels'>>;

/** The steps towards agreement. */
export interface SyncPlan {
  /** Keys of drafts that the colony does not know. */
  readonly create: readonly string[];
  readonly edit: readonly { readonly intent: ListedIntent; readonly changes: IntentEdit }[];
  /** Work that nobody needs any more: the backlog calls it done, or names it no more. */
  readonly withdraw: readonly ListedIntent[];
  /** Work that landed and that the backlog still calls open. */
  readonly close: readonly ListedIntent[];
  /** Drafts whose intents are as they should be. */
  readonly same: number;
}

const editableFields = ['title', 'body', 'paths', 'priority', 'labels'] as const;

/** Whether an intent may still be worked on. */
function isLive(intent: ListedIntent): boolean {
  return intent.state !== 'landed' && intent.state !== 'closed' && intent.state !== 'abandoned';
}

function changesOf(draft: Draft, intent: ListedIntent): IntentEdit {
  const differing = editableFields.filter((field) => JSON.stringify(draft[field]) !== JSON.stringify(intent[field]));
  return Object.fromEntries(differing.map((field) => [field, draft[field]])) as IntentEdit;
}

/** The name of an intent in its backlog: its key without the kind. */
export function sourceOf(intent: ListedIntent): string {
  const { key = '' } = intent;
  return key.slice(key.indexOf(':') + 1);
}

/**
 * Plans what brings the colony and the backlog together (BS1 to BS3). `namesEverything` says that an item which the
 * backlog does not name is gone. What was abandoned in the colony stays so.
 */
export function planSync(
  backlog: Backlog,
  format: BacklogFormat,
  intents: readonly ListedIntent[],
  namesEverything: boolean,
): SyncPlan {
  const ours = new Map(intents.filter(({ key }) => key?.startsWith(`${format}:`)).map((each) => [each.key, each]));
  const create: string[] = [];
  const edit: { intent: ListedIntent; changes: IntentEdit }[] = [];
  const close: ListedIntent[] = [];
  let same = 0;
  for (const draft of backlog.drafts) {
    const intent = ours.get(draft.key);
    if (intent === undefined) create.push(draft.key);
    else if (intent.state === 'landed') close.push(intent);
    else {
      const changes = isLive(intent) ? changesOf(draft, intent) : {};
      if (Object.keys(changes).length > 0) edit.push({ intent, changes });
      else same += 1;
    }
  }
  const isDone = new Set(backlog.doneKeys);
  const isNamed = new Set(backlog.drafts.map(({ key }) => key));
  const withdraw = [...ours.values()].filter((intent) => {
    const { key = '' } = intent;
    return isLive(intent) && (isDone.has(key) || (namesEverything && !isNamed.has(key)));
  });
  return { create, edit, withdraw, close, same };
}
