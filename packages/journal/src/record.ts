// The record format: how an event is kept so that what comes back is known to be what was written.
// It never knows a storage engine; an implementation stores the three fields of a record as it likes.
//
//   JR1. A record carries the CRC-32 of its sequence (decimal digits) followed by its body (UTF-8), so a body that
//        changed and a body that stands at another place are both found.
//   JR2. Read back, sequences follow one another without a gap and every checksum holds, or the journal is `damaged`.
//   JR3. Texts are well-formed Unicode: a lone surrogate would come back as another text. (JSON.stringify escapes it.)

import { assert, isOid, utf8 } from '@firetrident/base';
import { crc32 } from './checksum.ts';
import { type JournalBatch, JournalError, type JournalEvent } from './port.ts';

/** Version of the stored form that this code writes. Older ones are upgraded at opening, newer ones refused. */
export const journalFormat = 3;

/** An event as it is stored. */
export interface EventRecord {
  readonly sequence: number;
  readonly body: string;
  /** Unsigned 32 bits, by JR1. */
  readonly checksum: number;
}

/** Checksum of an event (JR1). A platform with a faster CRC-32 may bring its own function of the same value. */
export type EventChecksum = (sequence: number, body: string) => number;

/** Checksum of an event (JR1). */
export function eventChecksum(sequence: number, body: string): number {
  return crc32(utf8(body), crc32(utf8(String(sequence))));
}

/** What a person does about a damaged journal. */
export const rebuildHint =
  'Keep a copy of the directory, then restore it from a backup, or move the journal away and start again: ' +
  'trunk, its landings and their lineage are rebuilt from git; open intents and leases come from the last snapshot or backup.';

/**
 * Yields the events of `records`, which were read after `afterSequence`, or throws `damaged` at the first that breaks
 * JR2. `path` names the journal in the error.
 */
export function checkedEvents(
  records: readonly EventRecord[],
  afterSequence: number,
  path: string,
  checksumOf: EventChecksum = eventChecksum,
): JournalEvent[] {
  let previous = afterSequence;
  return records.map(({ sequence, body, checksum }) => {
    if (sequence !== previous + 1) {
      const gap = `after event ${previous} comes event ${sequence}, so ${sequence - previous - 1} are missing`;
      throw new JournalError('damaged', `The journal is damaged: ${gap}.`, path, rebuildHint);
    }
    if (checksumOf(sequence, body) !== checksum) {
      const fault = `event ${sequence} does not have the checksum it was written with`;
      throw new JournalError('damaged', `The journal is damaged: ${fault}.`, path, rebuildHint);
    }
    previous = sequence;
    return { sequence, body };
  });
}

/** Crashes on a batch that could not come back as it went in (JR3), or that names something that is no object id. */
export function assertStorable(batch: JournalBatch): void {
  for (const body of batch.events) assert(body.isWellFormed(), 'an event is well-formed Unicode');
  for (const { oid } of batch.blobs) assert(isOid(oid), 'a staged blob is named by an object id');
  for (const row of batch.archive) {
    const texts = [row.kind, row.id, row.body, ...row.keys];
    assert(
      texts.every((text) => text.isWellFormed()),
      'an archive row is well-formed Unicode',
    );
  }
}
