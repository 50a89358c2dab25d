// A backlog in Markdown that a colony begins with: read whole, then created in the order of its dependencies.
//
//   BA1. A backlog is refused before anything of it exists when it cannot be read or its dependencies do not resolve.

import { defined, type IntentId, no, ok, type Result } from '@firetrident/base';
import { type Draft, type DraftGroups, groupByDependency, parseMarkdownBacklog } from '@firetrident/content';
import type { IntentDraft } from '@firetrident/core';
import type { Colony, ColonyRefusal } from '@firetrident/engine';
import type { ErrorFacts } from '@firetrident/protocol';
import { errorFacts } from '../errors.ts';

interface ParsedBacklog {
  readonly drafts: readonly Draft[];
  readonly groups: DraftGroups;
}

/** Reads a backlog and puts it in order (BA1). */
export function readBacklog(text: string): Result<ParsedBacklog, ErrorFacts> {
  const parsed = parseMarkdownBacklog(text);
  if (!parsed.ok) {
    const { line, reason } = parsed.error;
    const message = line === null ? `spec: ${reason}.` : `spec: line ${line}: ${reason}.`;
    return no(errorFacts('invalid_request', 'spec', { line, problem: reason }, { message }));
  }
  const { drafts } = parsed.value;
  const groups = ordered(drafts);
  return groups.ok ? ok({ drafts, groups: groups.value }) : groups;
}

/** Only drafts of the backlog itself may be waited for: the colony is new (BA1). */
function ordered(drafts: readonly Draft[]): Result<DraftGroups, ErrorFacts> {
  const groups = groupByDependency(drafts, () => false);
  if (groups.ok) return groups;
  const { draft, ...refusal } = groups.error;
  return refusal.kind === 'cycle'
    ? no(errorFacts('dependency_cycle', draft.title))
    : no(errorFacts('unknown_dependency', refusal.name, { intent: draft.title }));
}

/** Creates the intents of a backlog; their ids in the backlog's order. */
export async function createBacklog(
  colony: Colony,
  backlog: ParsedBacklog,
): Promise<Result<readonly IntentId[], ColonyRefusal>> {
  const ids = new Map<string, IntentId>();
  const idOf = (key: string) => defined(ids.get(key), 'a dependency that was created before');
  for (const group of backlog.groups) {
    const created = await colony.createIntents(group.map((draft) => intentDraft(draft, backlog.drafts, idOf)));
    if (!created.ok) return created;
    for (const [index, { id }] of created.value.intents.entries()) ids.set((group[index] as Draft).key, id);
  }
  return ok(backlog.drafts.map(({ key }) => idOf(key)));
}

function intentDraft(draft: Draft, drafts: readonly Draft[], idOf: (key: string) => IntentId): IntentDraft {
  const { title, body, paths, priority, labels, key } = draft;
  const parent = draft.parent === undefined ? null : idOf(defined(drafts[draft.parent], 'the parent of a draft').key);
  return { title, body, paths, priority, labels, key, after: (draft.after ?? []).map(idOf), parent };
}
