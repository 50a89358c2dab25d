// A ref whose lock another program holds: the built cycle waits, a person is told after a while, and it lands.

import { utf8 } from '@firetrident/base';
import { MemoryJournal } from '@firetrident/journal';
import { MemoryDisk } from '@firetrident/trunk';
import { describe, expect, test } from 'vitest';
import { worker } from '../support/colony-worker.ts';
import { type MemoryColony, memoryDirectory, openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';

const lock = `${memoryDirectory}/refs/heads/main.lock`;
const packs = `${memoryDirectory}/objects/pack`;

interface Queued extends MemoryColony {
  readonly proposal: `prp_${string}`;
  readonly disk: MemoryDisk;
}

/** A colony with one proposal that cannot land yet. */
async function queued(): Promise<Queued> {
  const disk = new MemoryDisk();
  const opened = await openMemoryColony({ journal: new MemoryJournal(), disk });
  const { colony, clock } = opened;
  const { agent, grant } = await worker(colony, 'ada');
  disk.write(lock, utf8('held by someone\n'));
  const sent = await colony.propose(
    proposeRequest({ agent, ...grant }, [{ path: 'a.txt', content: { bytes: utf8('a\n') } }]),
  );
  if (!sent.ok) throw new Error(sent.error.code);
  await clock.runUntil(clock.now() + 1_000);
  return { ...opened, disk, proposal: sent.value.proposal };
}

const kinds = ({ colony }: Queued) => [...colony.state.attention.values()].map(({ kind }) => kind);

describe('a lock that another program holds', () => {
  test('[CL5] is waited for: nothing is built again, a person is told, and what waited lands', async () => {
    const story = await queued();
    const { colony, clock, disk, proposal } = story;
    const packsBefore = disk.list(packs).length;
    expect(kinds(story)).toEqual([]);
    await clock.runUntil(clock.now() + 30_000);
    expect(disk.list(packs)).toHaveLength(packsBefore);
    expect(kinds(story)).toEqual(['landing-frozen']);
    const [item] = colony.state.attention.values();
    expect(item?.message).toBe(
      'refs/heads/main has been locked by another program for a while, and landing waits for it. ' +
        'If nothing works on the repository, remove refs/heads/main.lock from it.',
    );
    expect(colony.state.proposals.get(proposal)?.state).toBe('queued');
    disk.remove(lock);
    await clock.runUntil(clock.now() + 2_000);
    expect(await colony.outcome(proposal, 0)).toMatchObject({ ok: true, value: { state: 'landed' } });
    expect(kinds(story)).toEqual([]);
    await colony.close();
  });

  test('[CL3] does not hold up a shutdown: the proposal stays queued', async () => {
    const { colony, clock, journal, disk, proposal } = await queued();
    const closing = colony.close();
    await clock.runUntil(clock.now() + 5_000);
    await closing;
    disk.remove(lock);
    const again = await openMemoryColony({ journal: journal.reopen(), disk, clock });
    await clock.runUntil(clock.now() + 2_000);
    expect(await again.colony.outcome(proposal, 0)).toMatchObject({ ok: true, value: { state: 'landed' } });
    await again.colony.close();
  });
});
