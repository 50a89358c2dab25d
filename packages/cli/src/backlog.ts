// A backlog file, read whole and created in the order of its dependencies.
//
// Invariants:
//   BF1. Nothing is created of a backlog that cannot be read or whose dependencies do not resolve.
//   BF2. Importing a backlog again gives the same intents: their keys come from the backlog.

import { readFileSync } from 'node:fs';
import type { Client } from '@firetrident/client';
import {
  type Backlog,
  type BacklogFormat,
  type Draft,
  type DraftGroups,
  groupByDependency,
  guessBacklogFormat,
  parseBacklog,
} from '@firetrident/content';
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
  const groups = ordered(drafts, source);
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

/** The drafts in the order of their dependencies; what is an id may be an intent that exists already (BF1). */
function ordered(drafts: readonly Draft[], source: string): DraftGroups {
  const groups = groupByDependency(drafts, (name) => /^int_[0-9A-Za-z]+$/.test(name));
  if (groups.ok) return groups.value;
  const { draft, ...refusal } = groups.error;
  throw refused(
    source,
    refusal.kind === 'cycle'
      ? `"${draft.title}" comes after itself`
      : `"${draft.title}" comes after "${refusal.name}", which is not in it`,
  );
}
