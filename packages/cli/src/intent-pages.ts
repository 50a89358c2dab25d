// All intents of a colony, page by page.

import type { Client } from '@firetrident/client';
import type { ResponseOf } from '@firetrident/protocol';

/** An intent as the daemon shows it. */
export type ListedIntent = ResponseOf<'listIntents'>['intents'][number];

/** Intents of one page of a listing. */
const pageSize = 1_000;

/** Every intent, newest first; of one state, when it is named. */
export async function allIntents(
  client: Client,
  colony: string,
  state?: ListedIntent['state'],
): Promise<readonly ListedIntent[]> {
  const found: ListedIntent[] = [];
  let after: ListedIntent['id'] | undefined;
  do {
    const query = {
      limit: pageSize,
      ...(state === undefined ? {} : { state }),
      ...(after === undefined ? {} : { after }),
    };
    const page = await client.call('listIntents', { parts: { colony }, query });
    found.push(...page.intents);
    after = page.next;
  } while (after !== undefined);
  return found;
}
