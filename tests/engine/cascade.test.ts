// A cascade in virtual time, on the real engine, trunk and merges: the region slows down and recovers.

import { type AgentId, defined, utf8 } from '@firetrident/base';
import type { LeaseGrant, ProposalStatus } from '@firetrident/core';
import { fieldView } from '@firetrident/core';
import { MemoryJournal } from '@firetrident/journal';
import { describe, expect, test } from 'vitest';
import { type MemoryColony, openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';

const readers = 30;

interface AtWork {
  readonly agent: AgentId;
  readonly grant: LeaseGrant;
}

function value<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** A cascade under way: what is awaited goes on as time passes. */
class Cascade {
  readonly memory: MemoryColony;
  #agents = 0;

  constructor(memory: MemoryColony) {
    this.memory = memory;
  }

  async pass(milliseconds: number): Promise<void> {
    await this.memory.clock.runUntil(this.memory.clock.now() + milliseconds);
  }

  /** What a call answers, letting no time pass that it does not need. */
  async answer<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const ended = promise.finally(() => {
      done = true;
    });
    while (!done) await this.pass(0);
    return ended;
  }

  async work(): Promise<AtWork> {
    const { colony } = this.memory;
    const name = `agent ${++this.#agents}`;
    const described = { agentKind: 'test', labels: [], workspace: 'ref', joinTokenHash: null } as const;
    const registered = colony.submit({ kind: 'register-agent', name, tokenHash: name, ...described });
    const { agent } = value(await this.answer(registered));
    const draft = { title: name, body: '', paths: [], priority: 0, after: [], parent: null, labels: [], key: null };
    const { intents } = value(await this.answer(colony.createIntents([draft])));
    const intent = defined(intents[0], 'the intent').id;
    const taken = value(await this.answer(colony.take({ agent, intent, paths: [], labels: [], waitMs: 0 })));
    if (taken.kind !== 'grant') throw new Error(taken.reason);
    return { agent, grant: taken.grant };
  }

  async propose({ agent, grant }: AtWork, path: string, text: string, read: string | null): Promise<ProposalStatus> {
    const reads = read === null ? [] : [{ kind: 'file' as const, path: read }];
    const writes = [{ path, content: { bytes: utf8(text) } }];
    const sent = this.memory.colony.propose(proposeRequest({ agent, ...grant }, writes, reads));
    return value(await this.answer(sent));
  }

  async status({ proposal }: ProposalStatus): Promise<ProposalStatus['state']> {
    return value(await this.answer(this.memory.colony.outcome(proposal, 0))).state;
  }

  region(name: string) {
    const { colony } = this.memory;
    return fieldView(colony.state, colony.now()).regions.find(({ region }) => region === name);
  }
}

describe('a cascade', () => {
  test('[S3] [S4] its region lands once in 8 s, others at once, and after a minute all is as before', async () => {
    const cascade = new Cascade(await openMemoryColony({ journal: new MemoryJournal() }));
    await cascade.propose(await cascade.work(), 'src/hot.ts', '1\n', null);
    await cascade.pass(100);
    const workers = await Promise.all(Array.from({ length: readers }, () => cascade.work()));
    // The first landing must not share the window with the one that is to blame.
    await cascade.pass(60_000);
    const cause = await cascade.propose(await cascade.work(), 'src/hot.ts', '2\n', null);
    await cascade.pass(10);
    expect(await cascade.status(cause)).toBe('landed');
    const sent: ProposalStatus[] = [];
    for (const [index, worker] of workers.entries()) {
      sent.push(await cascade.propose(worker, `src/r${index}.ts`, 'r\n', 'src/hot.ts'));
    }
    await cascade.pass(10);
    for (const each of sent) expect(await cascade.status(each)).toBe('returned');
    await cascade.pass(8_000);
    expect(cascade.region('src')).toMatchObject({ sigma: 30, inhibition: 8, laneDelayMs: 8_000 });

    const landedAt: number[] = [];
    const begun = cascade.memory.clock.now();
    for (let number = 0; number < 3; number += 1) {
      const own = await cascade.propose(await cascade.work(), `src/later${number}.ts`, 'l\n', null);
      const other = await cascade.propose(await cascade.work(), `docs/${number}.md`, 'd\n', null);
      await cascade.pass(1);
      expect(await cascade.status(other)).toBe('landed');
      while ((await cascade.status(own)) === 'queued') await cascade.pass(100);
      landedAt.push(cascade.memory.clock.now() - begun);
    }
    const [first = 0, second = 0, third = 0] = landedAt;
    expect(first).toBeLessThan(100);
    for (const gap of [second - first, third - second]) {
      expect(gap).toBeGreaterThan(7_800);
      expect(gap).toBeLessThan(8_200);
    }

    await cascade.pass(60_000);
    expect(cascade.region('src') ?? { sigma: 0, laneDelayMs: 0 }).toMatchObject({ sigma: 0, laneDelayMs: 0 });
    const quick = await cascade.propose(await cascade.work(), 'src/quick.ts', 'q\n', null);
    await cascade.pass(1);
    expect(await cascade.status(quick)).toBe('landed');
    await cascade.answer(cascade.memory.colony.close());
  }, 60_000);
});
