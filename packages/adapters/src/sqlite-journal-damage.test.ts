// Torn tails are cut and reported; damage before them is refused. Real files, cut and changed byte by byte.

import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { emptyBatch, type JournalError } from '@firetrident/journal';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';
import { openJournalFile } from './sqlite-journal-opening.ts';
import { examineWal } from './sqlite-journal-wal.ts';
import { JournalWriter } from './sqlite-journal-writer.ts';

const timeoutMs = 120_000;
let directory = '';
let path = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'firetrident-damage-'));
  path = join(directory, 'journal.db');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bodyOf = (sequence: number) => JSON.stringify({ sequence, filler: 'x'.repeat(300) });

/** Appends events one by one and answers how long the write-ahead log was after each commit. */
function write(writer: JournalWriter, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    writer.commit({ expectedSequence: index, events: [bodyOf(index + 1)], rests: [] });
    return statSync(`${path}-wal`).size;
  });
}

/** The files of a journal with `count` events, all in the write-ahead log, as a kill leaves them. */
function killed(count: number): { database: Buffer; wal: Buffer; ends: readonly number[] } {
  const writer = new JournalWriter(path);
  const ends = write(writer, count);
  const files = { database: readFileSync(path), wal: readFileSync(`${path}-wal`), ends };
  writer.close();
  return files;
}

/** Puts such files in place of what is there, and opens the journal once. */
function reopen(database: Buffer, wal: Buffer): { sequence: number; report: readonly string[] } {
  for (const suffix of ['-shm', '-wal']) rmSync(`${path}${suffix}`, { force: true });
  writeFileSync(path, database);
  writeFileSync(`${path}-wal`, wal);
  const { database: opened, opening } = openJournalFile(path);
  opened.close();
  return opening;
}

function kindOf(open: () => unknown): string {
  try {
    open();
    return 'none';
  } catch (error) {
    return (error as JournalError).kind;
  }
}

describe('a torn tail of the write-ahead log', () => {
  it('[WT1] is cut at any length, back to the last whole commit, and its bytes are reported', {
    timeout: timeoutMs,
  }, () => {
    const { database, wal, ends } = killed(12);
    fc.assert(
      fc.property(fc.integer({ min: 32, max: wal.length }), (length) => {
        const whole = ends.filter((end) => end <= length);
        const lost = length - (whole.at(-1) ?? 32);
        const { sequence, report } = reopen(database, wal.subarray(0, length));
        expect(sequence).toBe(whole.length);
        const line = `Cut ${lost} bytes at the end of journal.db-wal that were never acknowledged.`;
        expect(report).toEqual(lost === 0 ? [] : [line]);
      }),
      { numRuns: 60 },
    );
  });

  it('[WT1] is cut where garbage follows the commits, and nothing of them is lost', { timeout: timeoutMs }, () => {
    const { database, wal } = killed(5);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 9_000 }), (garbage) => {
        const { sequence, report } = reopen(database, Buffer.concat([wal, garbage]));
        expect(sequence).toBe(5);
        expect(report).toEqual([
          `Cut ${garbage.length} bytes at the end of journal.db-wal that were never acknowledged.`,
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('[WT3] is not seen in what an earlier generation of the file left', { timeout: timeoutMs }, () => {
    const writer = new JournalWriter(path);
    write(writer, 30);
    const other = new DatabaseSync(path);
    // Everything is carried over, so the next commit starts the file anew over the old frames.
    other.exec('PRAGMA wal_checkpoint(RESTART)');
    other.close();
    writer.commit({ expectedSequence: 30, events: [bodyOf(31)], rests: [] });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(100_000);
    expect(examineWal(`${path}-wal`)).toEqual({ kind: 'whole' });
    writer.close();
  });

  it('is reported by the journal as a whole, together with the owner that left it', {
    timeout: timeoutMs,
  }, async () => {
    const { database, wal } = killed(3);
    writeFileSync(path, database);
    writeFileSync(`${path}-wal`, Buffer.concat([wal, Buffer.alloc(100, 7)]));
    const holder = { processId: 4_242, host: 'elsewhere', since: '2026-01-02T03:04:05.000Z' };
    writeFileSync(join(directory, 'journal.holder.json'), JSON.stringify(holder));
    const journal = await SqliteJournal.open(directory);
    expect(journal.opening.report).toEqual([
      'Process 4242 on elsewhere, which held the journal since 2026-01-02T03:04:05.000Z, ended without closing it.',
      'Cut 100 bytes at the end of journal.db-wal that were never acknowledged.',
    ]);
    expect((await journal.events(0, 9)).length).toBe(3);
    await journal.close();
  });
});

describe('damage in the write-ahead log', () => {
  it('[WT2] is refused wherever a byte of an acknowledged commit changed', { timeout: timeoutMs }, () => {
    const { database, wal, ends } = killed(8);
    const beforeLast = ends.at(-2) ?? 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: beforeLast - 1 }), fc.integer({ min: 1, max: 255 }), (offset, change) => {
        const changed = Buffer.from(wal);
        changed[offset] = (changed[offset] ?? 0) ^ change;
        expect(kindOf(() => reopen(database, changed))).toBe('damaged');
      }),
      // A byte of a salt in the frame that ends the commit before the last, which makes it look like an older frame.
      { numRuns: 80, examples: [8, 9, 10, 11, 12, 15].map((byte) => [beforeLast - 4_120 + byte, 1]) },
    );
  });

  it('is refused where the database of a write-ahead log is missing', () => {
    const { wal } = killed(2);
    rmSync(path);
    writeFileSync(`${path}-wal`, wal);
    expect(kindOf(() => openJournalFile(path))).toBe('damaged');
  });
});

/** A closed journal with `count` events and snapshots of events 2 and 4. */
async function filled(count: number): Promise<void> {
  const journal = await SqliteJournal.open(directory);
  const events = Array.from({ length: count }, (_, index) => bodyOf(index + 1));
  await journal.append({ ...emptyBatch, events }, 0);
  await journal.append(
    { ...emptyBatch, blobs: [{ oid: 'a'.repeat(40), bytes: new TextEncoder().encode('bytes of a blob') }] },
    count,
  );
  await journal.append(
    { ...emptyBatch, archive: [{ kind: 'k', id: 'i', keys: ['key'], body: '"archived body"' }] },
    count,
  );
  for (const sequence of [2, 4])
    await journal.putSnapshot(sequence, new TextEncoder().encode(`snapshot of ${sequence}`));
  await journal.close();
}

/** Changes one byte of the database file in the middle of `text`, which it holds once or more; the last is changed. */
function change(text: string): void {
  const bytes = readFileSync(path);
  const offset = bytes.lastIndexOf(text) + (text.length >> 1);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

function execute(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe('damage in the database', () => {
  it('[JR1] is refused at opening where one of the last events changed, with what to do', {
    timeout: timeoutMs,
  }, async () => {
    await filled(9);
    change('{"sequence":7,');
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({
      kind: 'damaged',
      path,
      message: 'The journal is damaged: event 7 does not have the checksum it was written with.',
      hint: expect.stringMatching(/rebuilt from git/),
    });
  });

  it('[J7] is refused at reading where an event long ago changed', { timeout: timeoutMs }, async () => {
    await filled(12_000);
    change('{"sequence":777,');
    const journal = await SqliteJournal.open(directory);
    await expect(journal.events(0, 4_096)).rejects.toMatchObject({ kind: 'damaged', message: /event 777/ });
    expect((await journal.events(777, 10)).length).toBe(10);
    await journal.close();
  });

  it('[JR2] is refused where an event is missing since the latest snapshot', { timeout: timeoutMs }, async () => {
    await filled(9);
    execute('DELETE FROM event WHERE sequence = 6');
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({
      kind: 'damaged',
      message: 'The journal is damaged: of the events 5 to 9, 1 are missing.',
    });
  });

  it('is refused where the log ends before its latest snapshot', { timeout: timeoutMs }, async () => {
    await filled(5);
    execute('DELETE FROM event WHERE sequence > 3');
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({
      kind: 'damaged',
      message: 'The journal is damaged: it ends at event 3, but has a snapshot of event 4.',
    });
  });

  it('[SR1] is refused at reading where a blob or an archived row changed', { timeout: timeoutMs }, async () => {
    await filled(5);
    change('bytes of a blob');
    change('"archived body"');
    const journal = await SqliteJournal.open(directory);
    await expect(journal.blob('a'.repeat(40))).rejects.toMatchObject({ kind: 'damaged' });
    await expect(journal.archived('k', 'i')).rejects.toMatchObject({ kind: 'damaged' });
    await expect(journal.archivedByKey('k', 'key')).rejects.toMatchObject({ kind: 'damaged' });
    await expect(journal.archivedPage('k', { limit: 1 })).rejects.toMatchObject({ kind: 'damaged' });
    await journal.close();
  });

  it('[SO3] in the latest snapshot alone is reported, and the snapshot before it serves', {
    timeout: timeoutMs,
  }, async () => {
    await filled(5);
    change('snapshot of 4');
    const journal = await SqliteJournal.open(directory);
    expect(journal.opening.report).toEqual([
      'The snapshot of event 4 is damaged and was dropped; an earlier state serves.',
    ]);
    expect((await journal.latestSnapshot())?.sequence).toBe(2);
    await journal.close();
  });

  it('is refused where SQLite finds it: no database, or a broken page', { timeout: timeoutMs }, async () => {
    await filled(500);
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([Buffer.alloc(100, 1), whole.subarray(100)]));
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({ kind: 'damaged' });
    // Every page of the tables but the first is overwritten.
    writeFileSync(path, Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 1)]));
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({ kind: 'damaged' });
    truncateSync(path, 8_192);
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({ kind: 'damaged' });
    writeFileSync(path, whole);
    await (await SqliteJournal.open(directory)).close();
  });

  it('is not taken for a journal when it is another database', { timeout: timeoutMs }, async () => {
    execute('CREATE TABLE something (value)');
    cpSync(path, `${path}.before`);
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({
      kind: 'damaged',
      message: 'journal.db is a database, but no journal.',
    });
    expect(readFileSync(path).equals(readFileSync(`${path}.before`))).toBe(true);
  });
});
