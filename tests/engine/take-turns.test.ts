// Takes beyond the bound on takes under way: whoever may wait gets its turn, in order of arrival.

import type { AgentId } from '@firetrident/base';
import { defaultPolicy } from '@firetrident/core';
import type { Colony, TakeAnswer } from '@firetrident/engine';
import { MemoryJournal, MemoryStore } from '@firetrident/journal';
import { expect, test } from 'vitest';
import { registration, yes } from '../support/colony-worker.ts';
import { memoryStartMs, openMemoryColony } from '../support/memory-colony.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const draft = { body: '', priority: 0, after: [], parent: null, labels: [], key: null };
const anything = { intent: null, paths: [], labels: [] };

async function crew(colony: Colony, size: number): Promise<AgentId[]> {
  const agents: AgentId[] = [];
  for (let number = 0; number < size; number += 1) {
    agents.push(yes(await colony.submit(registration(`agent ${number}`))).agent);
  }
  return agents;
}

async function colonyWithWork(intents: number, journal = new MemoryJournal(), clock = new VirtualClock(memoryStartMs)) {
  const opened = await openMemoryColony({
    journal,
    clock,
    policy: { admission: 'open', limits: { ...defaultPolicy.limits, takesInFlight: 1 } },
  });
  await opened.colony.createIntents(
    Array.from({ length: intents }, (_, number) => ({
      ...draft,
      title: `work ${number}`,
      paths: [`src/${number}.ts`],
    })),
  );
  return opened;
}

test('[TD5] [T6d] twenty takes at once, one under way at most: each that may wait ends with work and waited for none', async () => {
  const { colony, clock } = await colonyWithWork(20);
  const answers: TakeAnswer[] = [];
  for (const agent of await crew(colony, 20)) {
    void colony.take({ ...anything, agent, waitMs: 60_000 }).then((answer) => {
      if (answer.ok) answers.push(answer.value);
    });
  }
  await clock.runUntil(clock.now() + 1_000);
  expect(answers.map(({ kind }) => kind)).toEqual(Array.from({ length: 20 }, () => 'grant'));
  expect(new Set(answers.map((answer) => (answer.kind === 'grant' ? answer.intent.id : ''))).size).toBe(20);
  expect(answers.every((answer) => answer.kind === 'grant' && answer.waitedMs === 0)).toBe(true);
});

test('[TD5] takes whose turn came, or would have come, and found nothing wait for work; a grant says how long', async () => {
  const { colony, clock } = await colonyWithWork(2);
  const answers: TakeAnswer[] = [];
  for (const agent of await crew(colony, 4)) {
    void colony.take({ ...anything, agent, waitMs: 60_000 }).then((answer) => {
      if (answer.ok) answers.push(answer.value);
    });
  }
  await clock.runUntil(clock.now() + 5_000);
  expect(answers).toHaveLength(2);
  for (const [position, title] of ['late', 'later'].entries()) {
    await colony.createIntents([{ ...draft, title, paths: [`src/${title}.ts`] }]);
    await clock.runUntil(clock.now() + 1_000);
    const last = answers[2 + position];
    expect(last).toMatchObject({ kind: 'grant', intent: { title } });
    expect(last?.kind === 'grant' ? last.waitedMs : 0).toBeGreaterThanOrEqual(5_000);
  }
});

test('[TD7] the wait for work ends with the wake-up, also for those whose turn comes after others', async () => {
  const clock = new VirtualClock(memoryStartMs);
  let appendMs = 0;
  const pace = () => (appendMs === 0 ? Promise.resolve() : new Promise<void>((done) => clock.after(appendMs, done)));
  const { colony } = await colonyWithWork(0, new MemoryJournal(new MemoryStore(), pace), clock);
  const granted: { readonly waitedMs: number; readonly at: number }[] = [];
  for (const agent of await crew(colony, 3)) {
    void colony.take({ ...anything, agent, waitMs: 60_000 }).then((answer) => {
      if (answer.ok && answer.value.kind === 'grant')
        granted.push({ waitedMs: answer.value.waitedMs, at: clock.now() });
    });
  }
  await clock.runUntil(memoryStartMs + 5_000);
  appendMs = 100;
  void colony.createIntents(['a', 'b', 'c'].map((title) => ({ ...draft, title, paths: [`src/${title}.ts`] })));
  await clock.runUntil(memoryStartMs + 10_000);
  expect(granted.map(({ at }) => at - memoryStartMs)).toEqual([5_200, 5_300, 5_400]);
  expect(granted.map(({ waitedMs }) => waitedMs)).toEqual([5_100, 5_100, 5_100]);
});
