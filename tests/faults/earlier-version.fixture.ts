// Turns a colony's journal into what the first builds wrote: a file of format 2, events without what they did not know
// yet, and a snapshot of the first form.

import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { eventChecksum } from '@firetrident/journal';

type Fields = Record<string, unknown>;

function without(fields: unknown, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields as Fields).filter(([name]) => !names.includes(name)));
}

const laterPolicy = ['reservationMs', 'globalInputs', 'merge'];

/** The event as it was written then. */
function formerEvent(event: Fields): Fields {
  const known = without(event, ['learnedPaths', 'tokens']);
  return 'policy' in known ? { ...known, policy: without(known['policy'], laterPolicy) } : known;
}

/** The snapshot as it was written then: fewer fields, under the number that all forms had. */
function formerSnapshot(state: Fields): Fields {
  const later = ['reservations', 'recentLandings', 'standings', 'sigma', 'sigmaAt', 'admissions', 'staleness'];
  const more = ['titleWords', 'coChanges', 'historyLearned', 'pace', 'workMs'];
  const known = without(state, [...later, ...more]);
  return { ...known, format: 1, policy: without(known['policy'], laterPolicy) };
}

/** Rewrites the journal file `path`; gives how many snapshots it holds. */
export function makeFormer(path: string): number {
  const database = new DatabaseSync(path);
  const events = database.prepare('SELECT sequence, body FROM event').all();
  const update = database.prepare('UPDATE event SET checksum = ?, body = ? WHERE sequence = ?');
  for (const { sequence, body } of events) {
    const former = JSON.stringify(formerEvent(JSON.parse(String(body))));
    update.run(eventChecksum(Number(sequence), former), former, Number(sequence));
  }
  const snapshots = database.prepare('SELECT number FROM snapshot').all();
  for (const { number } of snapshots) {
    const parts = database
      .prepare('SELECT bytes FROM snapshot_part WHERE number = ? ORDER BY ordinal')
      .all(Number(number));
    const text = Buffer.concat(parts.map(({ bytes }) => bytes as Uint8Array)).toString('utf8');
    const former = Buffer.from(JSON.stringify(formerSnapshot(JSON.parse(text))));
    database.prepare('DELETE FROM snapshot_part WHERE number = ?').run(Number(number));
    database.prepare('INSERT INTO snapshot_part VALUES (?, 0, ?)').run(Number(number), former);
    const head = database.prepare('UPDATE snapshot SET size = ?, checksum = ? WHERE number = ?');
    head.run(former.length, crc32(former), Number(number));
  }
  database.exec("UPDATE meta SET value = 2 WHERE key = 'format'");
  database.close();
  return snapshots.length;
}

/** Gives every snapshot of the journal file the number of a form that does not exist yet. */
export function makeLater(path: string): void {
  const database = new DatabaseSync(path);
  for (const { number } of database.prepare('SELECT number FROM snapshot').all()) {
    const body = Buffer.from('{"format":1000}');
    database.prepare('DELETE FROM snapshot_part WHERE number = ?').run(Number(number));
    database.prepare('INSERT INTO snapshot_part VALUES (?, 0, ?)').run(Number(number), body);
    const head = database.prepare('UPDATE snapshot SET size = ?, checksum = ? WHERE number = ?');
    head.run(body.length, crc32(body), Number(number));
  }
  database.close();
}
