// Content that cannot be preserved yet: it stays in the journal, is tried again, and keeps nobody from working.

import { utf8 } from '@firetrident/base';
import { type Colony, StorageFailureError, type TrunkService } from '@firetrident/engine';
import { MemoryJournal } from '@firetrident/journal';
import { MemoryDisk } from '@firetrident/trunk';
import { expect, test } from 'vitest';
import { altered } from '../support/altered-room.ts';
import { worker } from '../support/colony-worker.ts';
import { openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';

/** Refuses to preserve while `isFailing` says so. */
function refusing(room: TrunkService, isFailing: () => boolean): TrunkService {
  return altered(room, {
    preserve: async (...args) => {
      if (isFailing()) throw new StorageFailureError('no room left', 'make room', true);
      return room.preserve(...args);
    },
  });
}

/** Gives up an intent with a proposal that came back. */
async function giveUp(colony: Colony, pass: (milliseconds: number) => Promise<void>): Promise<void> {
  const grants = [];
  for (const name of ['ada', 'bob']) {
    const { agent, grant } = await worker(colony, name);
    grants.push({ agent, ...grant });
  }
  for (const grant of grants) {
    const writes = [{ path: 'a.txt', content: { bytes: utf8(`by ${grant.agent}\n`) } }];
    await colony.propose(proposeRequest(grant, writes));
    await pass(1_000);
  }
  const last = grants.at(-1);
  if (last === undefined) throw new Error('both agents took something');
  const { agent, lease, epoch } = last;
  expect(await colony.submit({ kind: 'release', agent, lease, epoch, why: null })).toMatchObject({ ok: true });
}

test('[RE1] content that cannot be preserved waits, also over a restart, and work goes on', async () => {
  const disk = new MemoryDisk();
  let failing = true;
  const surround = (room: TrunkService) => refusing(room, () => failing);
  const first = await openMemoryColony({ journal: new MemoryJournal(), disk, surround });
  const { clock } = first;
  await giveUp(first.colony, (milliseconds) => clock.runUntil(clock.now() + milliseconds));
  await clock.runUntil(clock.now() + 20_000);
  expect(first.colony.state.preserving.size).toBe(1);
  const closing = first.colony.close();
  await clock.runUntil(clock.now() + 2_000);
  await closing;
  const second = await openMemoryColony({ journal: first.journal.reopen(), disk, clock, surround });
  expect(second.colony.state.preserving.size).toBe(1);
  expect(second.log.some((line) => line.startsWith('content that was to be preserved'))).toBe(true);
  failing = false;
  await clock.runUntil(clock.now() + 10_000);
  expect(second.colony.state.preserving.size).toBe(0);
  const [kept] = second.colony.state.preserved.values();
  expect(kept?.commit).toMatch(/^[0-9a-f]{40}$/);
  await second.colony.close();
});
