// Files of other formats: older ones are upgraded after a copy was kept, newer ones are left alone.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventChecksum, journalFormat } from '@firetrident/journal';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';
import { writeFormat1 } from './sqlite-journal-format-1.fixture.ts';
import { checksumOfEvent } from './sqlite-journal-schema.ts';

const timeoutMs = 120_000;
let directory = '';
let path = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'firetrident-format-'));
  path = join(directory, 'journal.db');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const former = {
  epoch: 4,
  events: Array.from({ length: 2_500 }, (_, index) =>
    JSON.stringify({ n: index + 1, text: 'é漢😀'.repeat(index % 9) }),
  ),
  blobs: [{ oid: 'a'.repeat(40), bytes: new Uint8Array([0, 255, 7]) }],
  archive: [
    { kind: 'intent', id: 'second', keys: ['k1', 'k2', 'k2'], body: '{"id":"second"}' },
    { kind: 'intent', id: 'first', keys: [], body: '{"id":"first"}' },
    { kind: 'landing', id: 'second', keys: ['k1'], body: '{"id":"landing"}' },
  ],
  snapshots: [
    { sequence: 1_000, body: new Uint8Array([1]) },
    { sequence: 2_000, body: Uint8Array.from({ length: 3_000 }, (_, index) => index & 0xff) },
  ],
};

/** All definitions of a database file, in order. */
function definitionsOf(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();
  database.close();
  return rows;
}

function formatOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("SELECT value FROM meta WHERE key = 'format'").get();
  database.close();
  return row?.value;
}

describe('formats of the journal file', () => {
  it('[SO2] upgrades a file of format 1, keeps a copy, and says so once', { timeout: timeoutMs }, async () => {
    writeFormat1(path, former);
    const before = readFileSync(path);
    const journal = await SqliteJournal.open(directory);
    expect(journal.opening).toEqual({
      sequence: 2_500,
      epoch: 5,
      report: ['Upgraded from format 1 to 3; the file as it was is journal.db.format-1.backup.'],
    });
    expect((await journal.events(0, 9_999)).map(({ body }) => body)).toEqual(former.events);
    expect([...((await journal.blob('a'.repeat(40))) ?? [])]).toEqual([0, 255, 7]);
    expect(await journal.archivedByKey('intent', 'k2')).toBe('{"id":"second"}');
    expect(await journal.archivedByKey('landing', 'k1')).toBe('{"id":"landing"}');
    expect((await journal.archivedPage('intent', { limit: 9 })).map(({ id }) => id)).toEqual(['first', 'second']);
    const snapshot = await journal.latestSnapshot();
    expect(snapshot?.sequence).toBe(2_000);
    expect([...(snapshot?.body ?? [])]).toEqual([...(former.snapshots[1]?.body ?? [])]);
    await journal.append({ events: ['{}'], blobs: [], droppedBlobs: [], archive: [] }, 2_500);
    await journal.close();
    expect(readFileSync(`${path}.format-1.backup`).equals(before)).toBe(true);
    expect(formatOf(`${path}.format-1.backup`)).toBe(1);
    const again = await SqliteJournal.open(directory);
    expect(again.opening).toEqual({ sequence: 2_501, epoch: 6, report: [] });
    await again.close();
  });

  it('an upgraded file has the same tables as one that was made in this format', { timeout: timeoutMs }, async () => {
    writeFormat1(path, former);
    await (await SqliteJournal.open(directory)).close();
    const fresh = join(directory, 'fresh');
    mkdirSync(fresh);
    await (await SqliteJournal.open(fresh)).close();
    expect(definitionsOf(path)).toEqual(definitionsOf(join(fresh, 'journal.db')));
    expect(formatOf(path)).toBe(journalFormat);
  });

  it('[SO1] refuses a file of a newer format by name and changes no byte of it', { timeout: timeoutMs }, async () => {
    await (await SqliteJournal.open(directory)).close();
    const database = new DatabaseSync(path);
    database.exec("UPDATE meta SET value = 4 WHERE key = 'format'");
    database.close();
    const before = readFileSync(path);
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({
      kind: 'newer-format',
      path,
      message: 'journal.db is of format 4; this version reads formats up to 3.',
      hint: 'Use the version that wrote this journal, or a later one.',
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(directory).sort()).toEqual(['journal.db', 'journal.lock']);
  });

  it('[JR1] the checksum of the platform is that of the record format', () => {
    fc.assert(
      fc.property(fc.nat(), fc.string({ unit: 'grapheme' }), (sequence, body) => {
        expect(checksumOfEvent(sequence, body)).toBe(eventChecksum(sequence, body));
      }),
    );
  });
});
