// The journals in memory keep the contract of their port; faults strike as they are told.

import { describe, expect, it } from 'vitest';
import { journalContract } from './contract.ts';
import { FaultyMemoryJournal } from './faulty-memory-journal.ts';
import { MemoryJournal } from './memory-journal.ts';
import { MemoryStore } from './memory-store.ts';
import { emptyBatch, type JournalError } from './port.ts';

journalContract({ describe, it, expect }, 'MemoryJournal', async () => {
  const store = new MemoryStore();
  const open = async () => new MemoryJournal(store);
  return { open, seize: open, kill: async () => undefined, dispose: async () => undefined };
});

journalContract({ describe, it, expect }, 'FaultyMemoryJournal', async () => {
  const store = new MemoryStore();
  const open = async () => new FaultyMemoryJournal({ seed: 1 }, store);
  const kill = async (held: unknown) => (held as FaultyMemoryJournal).powerCut();
  return { open, seize: open, kill, dispose: async () => undefined };
});

const one = { ...emptyBatch, events: ['{}'] };

describe('FaultyMemoryJournal', () => {
  it('[FM1] a power cut keeps or loses the group in flight as a whole, both by some seed', async () => {
    const survivors = new Set<number>();
    for (let seed = 0; seed < 20; seed += 1) {
      let release = (): void => undefined;
      const pace = () =>
        new Promise<void>((resolve) => {
          release = resolve;
        });
      const journal = new FaultyMemoryJournal({ seed, pace });
      const acknowledged = journal.append(one, 0);
      release();
      await acknowledged;
      const inFlight = [journal.append({ ...emptyBatch, events: ['1', '2', '3'] }, 1)];
      const waiting = journal.append({ ...emptyBatch, events: ['4'] }, 4);
      journal.powerCut();
      for (const append of [...inFlight, waiting]) {
        expect(await append.then(() => 'none').catch((error: JournalError) => error.kind)).toBe('closed');
      }
      release();
      const { sequence, epoch } = journal.reopen().opening;
      expect(epoch).toBe(2);
      survivors.add(sequence);
    }
    expect([...survivors].sort()).toEqual([1, 4]);
  });

  it('[FM1] draws the same fate from the same seed', async () => {
    const fate = () => {
      const journal = new FaultyMemoryJournal({ seed: 3 });
      journal.append(one, 0).catch(() => undefined);
      journal.powerCut();
      return journal.reopen().opening.sequence;
    };
    expect(fate()).toBe(fate());
  });

  it('[FM2][J5] a full disk fails the append, its group and everything later, and leaves nothing of them', async () => {
    const journal = new FaultyMemoryJournal({ seed: 1, fullAtAppend: 3 });
    await journal.append(one, 0);
    const group = [journal.append(one, 1), journal.append(one, 2), journal.append(one, 3)];
    const kinds = await Promise.all(group.map((append) => append.catch((error: JournalError) => error.kind)));
    // The first found nothing in flight, so it is a group of its own; the other two waited together.
    expect(kinds).toEqual([undefined, 'full', 'full']);
    await expect(journal.append(one, 4)).rejects.toMatchObject({ kind: 'full' });
    await expect(journal.putSnapshot(1, new Uint8Array(1))).rejects.toMatchObject({ kind: 'full' });
    expect((await journal.events(0, 9)).length).toBe(2);
    const again = journal.reopen();
    await again.append(one, 2);
    expect((await again.events(0, 9)).length).toBe(3);
  });
});
