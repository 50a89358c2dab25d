// The journal on SQLite keeps the contract of its port.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journalContract } from '@firetrident/journal/contract';
import { describe, expect, it } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';

// Every test starts threads and syncs to a disk, which a busy machine may do slowly.
const patient = (name: string, body: () => Promise<void>) => it(name, { timeout: 120_000 }, body);

journalContract({ describe, it: patient, expect }, 'SqliteJournal', async () => {
  const root = mkdtempSync(join(tmpdir(), 'firetrident-journal-'));
  const opened: SqliteJournal[] = [];
  let directory = join(root, 'life-1');
  const open = async () => {
    const journal = await SqliteJournal.open(directory);
    opened.push(journal);
    return journal;
  };
  return {
    open,
    seize: async () => {
      rmSync(join(directory, 'journal.lock'));
      return open();
    },
    // A copy of the files as they are is what a kill leaves behind. Another process copies them, because closing a
    // database file in this one would drop SQLite's locks.
    kill: async () => {
      const copy = `${directory}-killed`;
      execFileSync('cp', ['-r', directory, copy]);
      directory = copy;
    },
    dispose: async () => {
      for (const journal of opened) await journal.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
});
