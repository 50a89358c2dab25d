// Reading a log from some point to its end, page by page, so that memory is bounded by two pages.

import type { JournalEvent } from './port.ts';
import { type Journal, JournalError } from './port.ts';
import { rebuildHint } from './record.ts';

const defaultPageSize = 4_096;

/**
 * Calls `visit` with every event after `afterSequence` in order and answers the sequence of the last one (or
 * `afterSequence` if there is none). The next page is read while one is visited. Rejects with `damaged` when the log
 * ends before the sequence that was found at opening.
 */
export async function replay(
  journal: Journal,
  afterSequence: number,
  visit: (event: JournalEvent) => void,
  pageSize: number = defaultPageSize,
): Promise<number> {
  let last = afterSequence;
  let page = await journal.events(last, pageSize);
  while (page.length > 0) {
    last = page[page.length - 1]?.sequence ?? last;
    const following = page.length < pageSize ? Promise.resolve([]) : journal.events(last, pageSize);
    // A visitor that throws must not leave a rejection behind that nobody hears.
    following.catch(() => undefined);
    for (const event of page) visit(event);
    page = await following;
  }
  const { sequence } = journal.opening;
  if (last < sequence) {
    const message = `The journal is damaged: it ends at event ${last}, but had ${sequence} at opening.`;
    throw new JournalError('damaged', message, 'journal', rebuildHint);
  }
  return last;
}
