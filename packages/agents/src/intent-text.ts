// How a command hears of its intent: environment variables and standard input.

import type { BriefResponse, TakeGrantedResponse } from '@firetrident/protocol';

export interface IntentContext {
  readonly colony: string;
  readonly agent: string;
  readonly taken: TakeGrantedResponse;
  /** The commit that the checkout is at. */
  readonly base: string;
  /** Why the last proposal came back; null on the first run. */
  readonly returned: BriefResponse | null;
  readonly cache: string;
  /** Until when others leave alone what it needs; null without a reservation. */
  readonly reservedUntil: string | null;
  /** File that the command appends the paths to that it reads. */
  readonly reads: string;
}

/** The variables that a command sees, all beginning with FT_. */
export function intentEnvironment(context: IntentContext): Record<string, string> {
  const { intent, lease } = context.taken;
  return {
    FT_COLONY: context.colony,
    FT_AGENT: context.agent,
    FT_INTENT: intent.id,
    FT_INTENT_TITLE: intent.title,
    FT_INTENT_BODY: intent.body,
    FT_INTENT_PATHS: intent.paths.join('\n'),
    FT_INTENT_LABELS: intent.labels.join('\n'),
    FT_LEASE: lease.id,
    FT_BASE: context.base,
    FT_CACHE: context.cache,
    FT_READS: context.reads,
    ...(context.reservedUntil === null ? {} : { FT_RESERVED_UNTIL: context.reservedUntil }),
    ...(context.returned === null ? {} : { FT_BRIEF: JSON.stringify(context.returned) }),
  };
}

/** Standard input: the title, a blank line, the body. */
export function intentInput(taken: TakeGrantedResponse): string {
  const { title, body } = taken.intent;
  return body === '' ? `${title}\n` : `${title}\n\n${body}\n`;
}

/** What an agent is asked in words; after a return, with the reasons. */
export function intentPrompt(taken: TakeGrantedResponse, returned: BriefResponse | null): string {
  const { paths } = taken.intent;
  const parts = [intentInput(taken).trimEnd()];
  if (paths.length > 0) parts.push(`It will probably touch: ${paths.join(', ')}`);
  parts.push(
    'You work in a checkout of your own, among many agents that change the same repository. Edit the files here, and only what this asks for. Do not commit, push, or switch branches: what you leave in the files is handed in for you.',
  );
  if (returned !== null) parts.push(returnText(returned));
  return `${parts.join('\n\n')}\n`;
}

function returnText({ reads, writes }: BriefResponse): string {
  const moved = [...writes, ...reads].map(({ intent, diff, ...item }) => {
    const name =
      ('path' in item && item.path) || ('dir' in item && item.dir) || ('glob' in item && item.glob) || 'a file';
    const command = 'regenerate' in item ? ` (made from other files: run ${item.regenerate} on the files here)` : '';
    return `${name}${command}, by "${intent.title}":\n${diff}`;
  });
  return `Your change came back, because others changed what it stands on. The files here are theirs now, without your change: make it again so that both hold. What moved:\n\n${moved.join('\n\n')}`;
}
