// Drafts in the order in which their intents can be created: what an intent names has to be there before it.
//
// It never knows intents: what is none of the backlog's keys is for the caller to judge.

import { no, ok, type Result } from '@firetrident/base';
import type { Draft } from './backlog.ts';

/** Drafts in groups; each only depends on those before it and on what the backlog does not have. */
export type DraftGroups = readonly (readonly Draft[])[];

/** Why there is no such order: a draft comes after what nobody knows, or after itself. */
export type OrderRefusal =
  | { readonly kind: 'unknown'; readonly draft: Draft; readonly name: string }
  | { readonly kind: 'cycle'; readonly draft: Draft };

/** Puts drafts in order. `isKnown` says of a name that is no key of theirs whether it may be waited for. */
export function groupByDependency(
  drafts: readonly Draft[],
  isKnown: (name: string) => boolean,
): Result<DraftGroups, OrderRefusal> {
  const keys = new Set(drafts.map(({ key }) => key));
  const needs = new Map<Draft, readonly string[]>();
  for (const draft of drafts) {
    const after = draft.after ?? [];
    const name = after.find((each) => !keys.has(each) && !isKnown(each));
    if (name !== undefined) return no({ kind: 'unknown', draft, name });
    const parent = draft.parent === undefined ? [] : [(drafts[draft.parent] as Draft).key];
    needs.set(
      draft,
      [...after, ...parent].filter((each) => keys.has(each)),
    );
  }
  const groups: Draft[][] = [];
  const done = new Set<string>();
  for (let rest = drafts; rest.length > 0; ) {
    const isReady = (draft: Draft) => needs.get(draft)?.every((key) => done.has(key)) === true;
    const group = rest.filter(isReady);
    if (group.length === 0) return no({ kind: 'cycle', draft: rest[0] as Draft });
    rest = rest.filter((draft) => !isReady(draft));
    for (const { key } of group) done.add(key);
    groups.push(group);
  }
  return ok(groups);
}
