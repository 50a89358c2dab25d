// Checksums, the check of what is read back, and replay.

import { crc32 as platformChecksum } from 'node:zlib';
import { concatBytes, utf8 } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from './checksum.ts';
import { MemoryJournal } from './memory-journal.ts';
import { MemoryStore } from './memory-store.ts';
import { emptyBatch } from './port.ts';
import { checkedEvents, eventChecksum } from './record.ts';
import { replay } from './replay.ts';

describe('crc32', () => {
  it('gives the check value of the standard', () => {
    expect(crc32(utf8('123456789'))).toBe(0xcbf43926);
  });

  it('agrees with zlib, in one piece and in two', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (left, right) => {
        const whole = concatBytes([left, right]);
        expect(crc32(whole)).toBe(platformChecksum(whole));
        expect(crc32(right, crc32(left))).toBe(platformChecksum(whole));
      }),
    );
  });
});

describe('checkedEvents', () => {
  const record = (sequence: number, body: string) => ({ sequence, body, checksum: eventChecksum(sequence, body) });

  it('[JR1] finds a body that changed in one character', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (body, at, other) => {
          const place = at % body.length;
          fc.pre(body[place] !== other);
          const changed = body.slice(0, place) + other + body.slice(place + 1);
          const records = [{ ...record(5, body), body: changed }];
          expect(() => checkedEvents(records, 4, 'here')).toThrowError(/event 5 does not have the checksum/);
        },
      ),
    );
  });

  it('[JR1] finds two bodies that changed places', () => {
    const [first, second] = [record(1, '"a"'), record(2, '"b"')];
    const swapped = [
      { ...second, sequence: 1 },
      { ...first, sequence: 2 },
    ];
    expect(() => checkedEvents(swapped, 0, 'here')).toThrowError(/event 1/);
  });

  it('[JR2] finds a gap, at the start and inside, and names what is missing', () => {
    expect(() => checkedEvents([record(3, '{}')], 1, 'here')).toThrowError(/after event 1 comes event 3/);
    expect(() => checkedEvents([record(2, '{}'), record(5, '{}')], 1, 'here')).toThrowError(/so 2 are missing/);
    expect(checkedEvents([record(2, '{}'), record(3, '{}')], 1, 'here').length).toBe(2);
  });
});

describe('replay', () => {
  it('[J7] rejects with damaged when the log ends before what was found at opening', async () => {
    const store = new MemoryStore();
    const first = new MemoryJournal(store);
    await first.append({ ...emptyBatch, events: ['1', '2', '3'] }, 0);
    const second = new MemoryJournal(store);
    store.records.pop();
    await expect(replay(second, 0, () => undefined)).rejects.toMatchObject({ kind: 'damaged' });
  });

  it('passes on what the visitor throws', async () => {
    const journal = new MemoryJournal();
    await journal.append({ ...emptyBatch, events: ['1', '2', '3'] }, 0);
    const visit = () => {
      throw new Error('visitor');
    };
    await expect(replay(journal, 0, visit, 1)).rejects.toThrowError('visitor');
  });
});
