// A backlog file, read whole and created in the order of its dependencies.
//
// Invariants:
//   BF1. Nothing is created of a backlog that cannot be read or whose dependencies do not resolve.
//   BF2. Importing a backlog again gives the same intents: their keys come from the backlog.

import { readFileSync } from 'node:fs';
import type { Client } from '@firetrident/client';
import { type Backlog, type BacklogFormat, type Draft, guessBacklogFormat, parseBacklog } from '@firetrident/content';
import { type ResponseOf, wireLimits } from '@firetrident/protocol';
import { CommandFailure } from './failure.ts';

/** A backlog that was read, and what it was read from. */
export interface ReadBacklog {
  readonly backlog: Backlog;
  readonly format: BacklogFormat;
  readonly text: string;
}

/** An intent as the daemon answered it when it was created. */
export type CreatedIntent = ResponseOf<'createIntents'>['intents'][number];

type IntentId = CreatedIntent['id'];

/** A backlog file (BF1). The kind goes by the file unless it is named. */
export function readBacklogFile(file: string, format?: BacklogFormat): ReadBacklog {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(
      `${file} cannot be read: ${(error as Error).message}`,
      'name a Markdown, JSON or JSON lines file',
    );
  }
  return readBacklog(text, file, format ?? guessBacklogFormat(file, text));
}

/** The backlog that a text is; `source` names it in a refusal. */
export function readBacklog(text: string, source: string, format: BacklogFormat): ReadBacklog {
  const parsed = parseBacklog(text, format);
  if (parsed.ok) return { backlog: parsed.value, format, text };
  const { line, reason } = parsed.error;
  throw refused(source, line === null ? reason : `line ${line}: ${reason}`);
}

function refused(source: string, reason: string): CommandFailure {
  return new CommandFailure(`${source}: ${reason}`, 'nothing was imported; correct it and import it again');
}

/** Creates the intents of a backlog, dependencies first; answers them in the order of the backlog (BF2). */
export async function createDrafts(
  client: Client,
  colony: string,
  drafts: readonly Draft[],
  source: string,
): Promise<readonly CreatedIntent[]> {
  const groups = groupedByDependency(drafts, source);
  const created = new Map<string, CreatedIntent>();
  const idOf = (name: string): IntentId => created.get(name)?.id ?? (name as IntentId);
  for (const group of groups) {
    for (let start = 0; start < group.length; start += wireLimits.intentsPerCall) {
      const part = group.slice(start, start + wireLimits.intentsPerCall);
      const intents = part.map(({ title, body, paths, priority, labels, key, after, parent }) => ({
        title,
        body,
        paths: [...paths],
        priority,
        labels: [...labels],
        key,
        after: (after ?? []).map(idOf),
        parent: parent === undefined ? null : idOf(drafts[parent]?.key ?? ''),
      }));
      const answer = await client.call('createIntents', { parts: { colony }, body: { intents } });
      for (const [index, intent] of answer.intents.entries()) created.set(part[index]?.key ?? '', intent);
    }
  }
  return drafts.flatMap((draft) => created.get(draft.key) ?? []);
}

/** Drafts in groups; each only depends on those before it and on intents that exist already. */
function groupedByDependency(drafts: readonly Draft[], source: string): Draft[][] {
  const keys = new Set(drafts.map(({ key }) => key));
  const needs = new Map<Draft, string[]>();
  for (const draft of drafts) {
    const after = draft.after ?? [];
    const unknown = after.find((name) => !keys.has(name) && !/^int_[0-9A-Za-z]+$/.test(name));
    if (unknown !== undefined) throw refused(source, `"${draft.title}" comes after "${unknown}", which is not in it`);
    const parent = draft.parent === undefined ? [] : [drafts[draft.parent]?.key ?? ''];
    needs.set(
      draft,
      [...after, ...parent].filter((name) => keys.has(name)),
    );
  }
  const groups: Draft[][] = [];
  const done = new Set<string>();
  for (let rest = [...drafts]; rest.length > 0; ) {
    const group = rest.filter((draft) => needs.get(draft)?.every((key) => done.has(key)));
    if (group.length === 0) throw refused(source, `"${rest[0]?.title}" comes after itself`);
    for (const draft of group) done.add(draft.key);
    groups.push(group);
    rest = rest.filter((draft) => !done.has(draft.key));
  }
  return groups;
}
