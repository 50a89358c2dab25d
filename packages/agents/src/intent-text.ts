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
