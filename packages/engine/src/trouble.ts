// What a failure of storage means to whoever is refused because of it.

import { JournalError } from '@firetrident/journal';
import { StorageFailureError } from './trunk-service.ts';

/** A failure as it is told: what happened, and what to do about it. */
export interface Trouble {
  readonly problem: string;
  readonly hint: string;
}

/** The trouble that an error makes. */
export function troubleOf(error: unknown): Trouble {
  const problem = error instanceof Error ? error.message : String(error);
  const known = error instanceof JournalError || error instanceof StorageFailureError;
  return { problem, hint: known ? error.hint : 'see the log of the daemon' };
}
