// A backlog in Markdown that a colony begins with: read whole, then created in the order of its dependencies.
//
//   BA1. A backlog is refused before anything of it exists when it cannot be read or its dependencies do not resolve.

import { defined, type IntentId, no, ok, type Result } from '@firetrident/base';
import { type Draft, parseMarkdownBacklog } from '@firetrident/content';
import type { IntentDraft } from '@firetrident/core';
import type { Colony, ColonyRefusal } from '@firetrident/engine';
import type { ErrorFacts } from '@firetrident/protocol';
import { errorFacts } from '../errors.ts';

/** Drafts in groups; each group only depends on those before it. */
export type DraftGroups = readonly (readonly Draft[])[];

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
  const groups = groupedByDependency(drafts);
  return groups.ok ? ok({ drafts, groups: groups.value }) : groups;
}

function needsOf(draft: Draft, drafts: readonly Draft[]): string[] {
  const parent = draft.parent === undefined ? [] : [defined(drafts[draft.parent], 'the parent of a draft').key];
  return [...(draft.after ?? []), ...parent];
}

function groupedByDependency(drafts: readonly Draft[]): Result<DraftGroups, ErrorFacts> {
  const keys = new Set(drafts.map(({ key }) => key));
  for (const draft of drafts) {
    const missing = needsOf(draft, drafts).find((key) => !keys.has(key));
    if (missing !== undefined) return no(errorFacts('unknown_dependency', missing, { intent: draft.title }));
  }
  const groups: Draft[][] = [];
  const done = new Set<string>();
  for (let rest = [...drafts]; rest.length > 0; ) {
    const group = rest.filter((draft) => needsOf(draft, drafts).every((key) => done.has(key)));
    const first = rest[0];
    if (group.length === 0 && first !== undefined) return no(errorFacts('dependency_cycle', first.title));
    for (const draft of group) done.add(draft.key);
    groups.push(group);
    rest = rest.filter((draft) => !done.has(draft.key));
  }
  return ok(groups);
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
