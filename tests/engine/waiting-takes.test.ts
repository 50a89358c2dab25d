// Takes that wait for nothing but time, on a colony in memory and in virtual time.

import type { AgentId } from '@firetrident/base';
import type { Colony, TakeAnswer } from '@firetrident/engine';
import { MemoryJournal } from '@firetrident/journal';
import { expect, test } from 'vitest';
import { registration, yes } from '../support/colony-worker.ts';
import { openMemoryColony } from '../support/memory-colony.ts';

const draft = { body: '', priority: 0, after: [], parent: null, labels: [], key: null };

async function registered(colony: Colony, name: string): Promise<AgentId> {
  return yes(await colony.submit(registration(name))).agent;
}

test('[TD4] [T6e] work that only claims keep away is given as soon as they have faded enough, though nothing else happens', async () => {
  const policy = { claimHalfLifeMs: 60_000, leaseMs: 3_600_000 };
  const { colony, clock } = await openMemoryColony({ journal: new MemoryJournal(), policy });
  await colony.createIntents([
    { ...draft, title: 'first', paths: ['src/a.ts'] },
    { ...draft, title: 'second', paths: ['src/a.ts'], priority: -2 },
  ]);
  const any = { intent: null, paths: [], labels: [] };
  const holder = await registered(colony, 'holder');
  expect(await colony.take({ ...any, agent: holder, waitMs: 0 })).toMatchObject({ value: { kind: 'grant' } });
  const waiter = await registered(colony, 'waiter');
  const begun = clock.now();
  let given: { readonly atMs: number; readonly answer: TakeAnswer } | null = null;
  const waiting = colony.take({ ...any, agent: waiter, waitMs: 3_000_000 }).then((answer) => {
    if (answer.ok) given = { atMs: clock.now() - begun, answer: answer.value };
  });
  // A claim counts for three tenths of its strength: in less than a half-life that falls to what such work is worth.
  await clock.runUntil(begun + 45_000);
  expect(given).toBeNull();
  await clock.runUntil(begun + 150_000);
  await waiting;
  expect(given).toMatchObject({ answer: { kind: 'grant', intent: { title: 'second' } } });
});
