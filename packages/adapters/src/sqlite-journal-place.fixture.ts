// What the tests run inside a mount of their own: a journal on a disk that fills up, and one that cannot be written.
// Says as JSON what happened. Arguments: the scenario, the directory.

import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { emptyBatch, type JournalError } from '@firetrident/journal';
import { SqliteJournal } from './sqlite-journal.ts';
import { writeFormat1 } from './sqlite-journal-format-1.fixture.ts';

type Outcome = Record<string, unknown>;

const event = (sequence: number) => JSON.stringify({ sequence, filler: 'x'.repeat(9_000) });

/** The kind, path and hint of a refusal; what was no refusal is said as it is. */
async function refusalOf(operation: Promise<unknown>): Promise<unknown> {
  return operation.then(
    () => 'none',
    (error: JournalError) => ({ kind: error.kind, message: error.message, hint: error.hint, name: error.name }),
  );
}

/** Fills the disk with appends, then makes room and goes on. */
async function fill(directory: string): Promise<Outcome> {
  const ballast = join(directory, 'ballast');
  writeFileSync(ballast, Buffer.alloc(500_000));
  const journal = await SqliteJournal.open(join(directory, 'journal'));
  let acknowledged = 0;
  let first: unknown = 'none';
  while (first === 'none') {
    const wave = Array.from({ length: 5 }, (_, index) =>
      refusalOf(journal.append({ ...emptyBatch, events: [event(acknowledged + index + 1)] }, acknowledged + index)),
    );
    const refusals = await Promise.all(wave);
    acknowledged += refusals.filter((refusal) => refusal === 'none').length;
    first = refusals.find((refusal) => refusal !== 'none') ?? 'none';
  }
  const later = await refusalOf(journal.append(emptyBatch, acknowledged));
  const readable = (await journal.events(0, 10_000)).length;
  await journal.close();
  const full = await refusalOf(SqliteJournal.open(join(directory, 'second')));
  rmSync(ballast);
  const again = await SqliteJournal.open(join(directory, 'journal'));
  const kept = (await again.events(0, 10_000)).map(({ body }) => body);
  const intact = kept.every((body, index) => body === event(index + 1));
  const more = await refusalOf(again.append({ ...emptyBatch, events: ['{}'] }, again.opening.sequence));
  await again.close();
  return { acknowledged, first, later, readable, full, kept: kept.length, intact, more };
}

/** Opens a file of format 1 where there is no room for its copy, then again where there is. */
async function upgrade(directory: string): Promise<Outcome> {
  const events = Array.from({ length: 60 }, (_, index) => event(index + 1));
  writeFormat1(join(directory, 'journal.db'), { epoch: 1, events, blobs: [], archive: [], snapshots: [] });
  const ballast = join(directory, 'ballast');
  writeFileSync(ballast, Buffer.alloc(5_000_000));
  const first = await refusalOf(SqliteJournal.open(directory));
  rmSync(ballast);
  const journal = await SqliteJournal.open(directory);
  const kept = (await journal.events(0, 100)).map(({ body }) => body);
  const { report } = journal.opening;
  await journal.close();
  return { first, report, intact: kept.length === 60 && kept.every((body, index) => body === events[index]) };
}

async function open(directory: string): Promise<Outcome> {
  return { refusal: await refusalOf(SqliteJournal.open(directory)) };
}

const scenarios: Record<string, (directory: string) => Promise<Outcome>> = { fill, upgrade, open };
const [scenario, directory] = process.argv.slice(2);
const outcome = await scenarios[scenario ?? '']?.(directory ?? '');
writeSync(1, `${JSON.stringify(outcome)}\n`);
