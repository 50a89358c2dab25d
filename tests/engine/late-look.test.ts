// A look at trunk whose answer comes late: what the colony did meanwhile knew more.

import { type Oid, utf8 } from '@firetrident/base';
import type { ForeignChange } from '@firetrident/engine';
import { MemoryJournal } from '@firetrident/journal';
import { expect, test } from 'vitest';
import { altered } from '../support/altered-room.ts';
import { worker } from '../support/colony-worker.ts';
import { openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';

test('[CL8] a rewind that a look found before something landed is not recorded after it', async () => {
  // The answers of looks that are held back.
  const held: ((change: ForeignChange | null) => void)[] = [];
  let isHolding = false;
  const { colony, clock } = await openMemoryColony({
    journal: new MemoryJournal(),
    surround: (room) =>
      altered(room, {
        foreign: (known) => (isHolding ? new Promise((resolve) => held.push(resolve)) : room.foreign(known)),
      }),
  });
  const { agent, grant } = await worker(colony, 'ada');
  const before = colony.state.tip;

  isHolding = true;
  await clock.runUntil(clock.now() + 60_000);
  expect(held.length).toBeGreaterThan(0);
  isHolding = false;
  const sent = await colony.propose(
    proposeRequest({ agent, ...grant }, [{ path: 'a.txt', content: { bytes: utf8('a\n') } }]),
  );
  if (!sent.ok) throw new Error(sent.error.code);
  await clock.runUntil(clock.now() + 5_000);
  const landed = colony.state.tip;
  expect(landed).not.toBe(before);

  for (const answer of held) answer({ kind: 'rewound', tip: '1'.repeat(40) as Oid });
  await clock.runUntil(clock.now() + 1_000);
  expect(colony.state.freeze).toBeNull();
  expect(colony.state.tip).toBe(landed);
  await colony.close();
});
