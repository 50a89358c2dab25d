// A process for tests that appends to the journal in the directory it is given until it is killed, and says on its
// output what it found at opening and which sequences were acknowledged. Every append carries an event, an archive row
// and a blob that name its sequence, so that a test can see whether an append is there whole. It also puts snapshots.

import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type JournalBatch, replay } from '@firetrident/journal';
import { SqliteJournal } from './sqlite-journal.ts';

/** The append whose event has `sequence`. */
export function batchOf(sequence: number): JournalBatch {
  const oid = sequence.toString(16).padStart(40, '0');
  return {
    events: [JSON.stringify({ sequence, filler: 'x'.repeat(sequence % 700) })],
    blobs: [{ oid, bytes: new TextEncoder().encode(`bytes of ${sequence}`) }],
    droppedBlobs: [],
    archive: [{ kind: 'append', id: `${sequence}`, keys: [`key-${sequence}`], body: `{"row":${sequence}}` }],
  };
}

const writers = 24;
const appendsPerSnapshot = 150;

async function run(directory: string): Promise<void> {
  const journal = await SqliteJournal.open(directory);
  let wrong = 0;
  const replayed = await replay(journal, 0, ({ sequence, body }) => {
    if (body !== batchOf(sequence).events[0]) wrong += 1;
  });
  const snapshot = (await journal.latestSnapshot())?.body.length ?? null;
  say({ ...journal.opening, replayed, wrong, snapshot });
  let next = journal.opening.sequence;
  const write = async () => {
    for (;;) {
      const expected = next;
      next += 1;
      await journal.append(batchOf(expected + 1), expected);
      say(expected + 1);
      if (expected % appendsPerSnapshot === 0) await journal.putSnapshot(expected, new Uint8Array(2_500_000));
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
}

function say(what: unknown): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

const [, program, directory] = process.argv;
if (program === fileURLToPath(import.meta.url) && directory !== undefined) await run(directory);
