// What the two halves of a journal say to each other across threads. One message is answered before the next is sent.

import type { Oid } from '@firetrident/base';
import type { JournalOpening } from '@firetrident/journal';
import type { PlainError } from './sqlite-journal-errors.ts';
import type { EventPage } from './sqlite-journal-reader.ts';
import type { AppendGroup } from './sqlite-journal-writer.ts';

/** What a worker thread is for, and on which file. */
export interface WorkerTask {
  readonly role: 'write' | 'read';
  readonly path: string;
}

/** Asked of the writing thread. */
export type WriteRequest =
  | { readonly operation: 'commit'; readonly group: AppendGroup }
  | { readonly operation: 'begin-snapshot'; readonly sequence: number }
  | { readonly operation: 'add-snapshot-part'; readonly bytes: Uint8Array }
  | { readonly operation: 'end-snapshot' }
  | { readonly operation: 'close' };

/** Asked of the reading thread. */
export type ReadRequest =
  | { readonly operation: 'events'; readonly afterSequence: number; readonly limit: number }
  | { readonly operation: 'latest-snapshot' }
  | { readonly operation: 'blob'; readonly oid: Oid }
  | { readonly operation: 'blobs' }
  | { readonly operation: 'archived'; readonly kind: string; readonly id: string }
  | { readonly operation: 'archived-by-key'; readonly kind: string; readonly key: string }
  | { readonly operation: 'archived-all-by-key'; readonly kind: string; readonly key: string; readonly limit: number }
  | {
      readonly operation: 'archived-page';
      readonly kind: string;
      readonly beforeId: string | null;
      readonly limit: number;
    }
  | { readonly operation: 'close' };

/** The answer to one request. */
export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: PlainError };

/** A worker's first message: what it found at opening (null for a reader). */
export type OpeningReply =
  | { readonly ok: true; readonly value: JournalOpening | null }
  | { readonly ok: false; readonly error: PlainError };

/** What each read answers. */
export interface ReadValues {
  events: EventPage;
  'latest-snapshot': { sequence: number; body: Uint8Array } | null;
  blob: Uint8Array | null;
  blobs: Oid[];
  archived: string | null;
  'archived-by-key': string | null;
  'archived-all-by-key': string[];
  'archived-page': { id: string; body: string }[];
  close: null;
}
