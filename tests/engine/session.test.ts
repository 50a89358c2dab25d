// A colony in memory whose ports fail or are slow at the worst moment: what is answered then, and what is kept.

import type { AgentId, Oid } from '@firetrident/base';
import { utf8 } from '@firetrident/base';
import type { LeaseGrant } from '@firetrident/core';
import {
  type Colony,
  type ProposeRequest,
  type RequestedWrite,
  StorageFailureError,
  type TrunkService,
} from '@firetrident/engine';
import { type JournalBatch, JournalError, MemoryJournal, MemoryStore } from '@firetrident/journal';
import { describe, expect, test } from 'vitest';
import { altered } from '../support/altered-room.ts';
import { type Worker, worker, yes } from '../support/colony-worker.ts';
import { Hold } from '../support/hold.ts';
import { type MemoryColonyOptions, openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';
import { settle, type VirtualClock } from '../support/virtual-clock.ts';

/** Virtual time in which everything that is not held back is done. */
const whileMs = 30_000;

async function open(options: Partial<MemoryColonyOptions> = {}) {
  const journal = options.journal ?? new MemoryJournal();
  return openMemoryColony({ ...options, journal });
}

/** Lets virtual time pass until a promise has its value. */
async function done<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  await clock.runUntil(clock.now() + whileMs);
  return work;
}

let names = 0;

/** A worker under a name of its own. */
function nextWorker(colony: Colony): Promise<Worker> {
  names += 1;
  return worker(colony, `work ${names}`);
}

function request(by: { agent: AgentId; grant: LeaseGrant }, writes: readonly RequestedWrite[]): ProposeRequest {
  return proposeRequest({ agent: by.agent, ...by.grant }, writes);
}

/** Holds the first call of a method that brings anything back, after it was carried out. */
function holdFirst(method: 'resolve' | 'stage', hold: Hold) {
  let isFirst = true;
  return (room: TrunkService): TrunkService =>
    altered(room, {
      [method]: async (...args: readonly unknown[]) => {
        const held = isFirst && !isEmpty(args[0]);
        if (held) isFirst = false;
        const answer = await (room[method] as (...args: readonly unknown[]) => Promise<unknown>).apply(room, [...args]);
        if (held) await hold.passed;
        return answer;
      },
    });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const content = (text: string) => ({ bytes: utf8(text) });

describe('bytes', () => {
  test('[BL3] [PR2] what was named by id while someone else was sending it is durable with the answer', async () => {
    const hold = new Hold();
    const journal = new MemoryJournal();
    const { colony, clock } = await open({ journal, surround: holdFirst('resolve', hold) });
    const [sender, namer] = [await nextWorker(colony), await nextWorker(colony)];
    yes(await colony.setPaused(true));
    const blob = 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0'; // "hello" without a newline
    const sent = colony.propose(
      request(sender, [
        { path: 'a.txt', content: content('hello') },
        { path: '.git/config', content: content('no') },
      ]),
    );
    await settle();
    const named = yes(await done(clock, colony.propose(request(namer, [{ path: 'b.txt', content: { blob } }]))));
    hold.open();
    expect(await done(clock, sent)).toMatchObject({ ok: false, error: { code: 'path_reserved' } });
    expect(named.state).toBe('queued');
    expect(await journal.blob(blob)).toEqual(utf8('hello'));
    yes(await colony.setPaused(false));
    expect(yes(await done(clock, colony.outcome(named.proposal, 1_000))).state).toBe('landed');
  });

  test('[BL1] an upload stays, though a request with the same bytes ends while it arrives', async () => {
    const hold = new Hold();
    const slow = new Hold();
    const surround = (room: TrunkService) => holdFirst('stage', slow)(holdFirst('resolve', hold)(room));
    const { colony, clock } = await open({ surround });
    const [uploader, other] = [await nextWorker(colony), await nextWorker(colony)];
    const upload = colony.putBlob(utf8('shared bytes'));
    const refused = colony.propose(
      request(other, [
        { path: 'a.txt', content: content('shared bytes') },
        { path: '.git/x', content: content('no') },
      ]),
    );
    await settle();
    hold.open();
    expect(await done(clock, refused)).toMatchObject({ ok: false });
    slow.open();
    const blob: Oid = yes(await done(clock, upload));
    const proposed = await done(clock, colony.propose(request(uploader, [{ path: 'b.txt', content: { blob } }])));
    expect(proposed).toMatchObject({ ok: true });
  });

  test('[BL2] a request that the room fails to carry out gives its bytes back', async () => {
    let failing = true;
    const surround = (room: TrunkService): TrunkService =>
      altered(room, {
        resolve: (asked) => {
          if (failing) return Promise.reject(new StorageFailureError('too many open files', 'close some', true));
          return room.resolve(asked);
        },
      });
    const { colony, clock } = await open({ surround });
    const limits = { ...colony.state.policy.limits, stagedBytes: 100 };
    yes(await colony.submit({ kind: 'set-policy', policy: { ...colony.state.policy, limits } }));
    const by = await nextWorker(colony);
    const asked = request(by, [{ path: 'a.txt', content: content('x'.repeat(80)) }]);
    expect(await colony.propose(asked)).toMatchObject({ ok: false, error: { code: 'storage_unavailable' } });
    failing = false;
    const other = { ...asked, writes: [{ path: 'a.txt', content: content('y'.repeat(80)) }] };
    expect(await done(clock, colony.propose(other))).toMatchObject({ ok: true });
  });

  test('[BL1] superseded work is kept whole when a cycle is under way', async () => {
    const hold = new Hold();
    let planning = false;
    const surround = (room: TrunkService): TrunkService =>
      altered(room, {
        plan: async (asked) => {
          const answer = await room.plan(asked);
          planning = true;
          await hold.passed;
          return answer;
        },
      });
    const { colony, clock } = await open({ surround });
    const [late, busy] = [await nextWorker(colony), await nextWorker(colony)];
    const { lease, epoch } = late.grant;
    yes(await colony.submit({ kind: 'release', agent: late.agent, lease, epoch, why: null }));
    yes(await colony.propose(request(busy, [{ path: 'busy.txt', content: content('busy') }])));
    await settle();
    expect(planning).toBe(true);
    const superseded = colony.propose(request(late, [{ path: 'late.txt', content: content('late work') }]));
    await settle();
    hold.open();
    expect(yes(await done(clock, superseded)).state).toBe('superseded');
    const [kept] = yes(await colony.preserved());
    const file = await colony.readFile({ path: 'late.txt', at: kept?.commit ?? null, lease: null });
    expect(yes(file).bytes).toEqual(utf8('late work'));
  });
});

describe('takes', () => {
  test('[TD1] an agent that asks twice at once is told so', async () => {
    const { colony, clock } = await open();
    const { agent } = await nextWorker(colony);
    const asked = { agent, intent: null, paths: [], labels: [], waitMs: 5_000 };
    const both = [colony.take(asked), colony.take(asked)];
    const answers = (await done(clock, Promise.all(both))).map((answer) => yes(answer));
    expect(answers.map((answer) => (answer.kind === 'wait' ? answer.reason : answer.kind))).toEqual([
      'no open intent',
      'take already in progress',
    ]);
  });
});

/** A journal one of whose appends is durable, though its caller is told that it failed. */
class DoubtfulJournal extends MemoryJournal {
  doubtful = false;

  override async append(batch: JournalBatch, expectedSequence: number): Promise<void> {
    await super.append(batch, expectedSequence);
    if (!this.doubtful) return;
    this.doubtful = false;
    throw new JournalError('failed', 'the disk did not answer', 'here', 'look at the disk');
  }
}

describe('a session that is over', () => {
  test('[CE1] [SE3] nothing is answered from it, neither at once nor to who was waiting', async () => {
    const hold = new Hold();
    const surround = (room: TrunkService): TrunkService => {
      const held = holdFirst('resolve', hold)(room);
      const lost = () => Promise.reject(new StorageFailureError('the disk is gone', 'bring it back', true));
      return altered(held, { move: lost, recover: lost });
    };
    const { colony } = await open({ surround });
    const [waiting, landing] = [await nextWorker(colony), await nextWorker(colony)];
    const asked = colony.propose(request(waiting, [{ path: 'a.txt', content: content('a') }]));
    await settle();
    yes(await colony.propose(request(landing, [{ path: 'b.txt', content: content('b') }])));
    await settle();
    const refused = { ok: false, error: { code: 'storage_unavailable' } };
    expect(await colony.intents({ state: null, limit: 10, after: null })).toMatchObject(refused);
    expect(await colony.landings({ after: null, limit: 10 })).toMatchObject(refused);
    expect(await colony.events(0, 10)).toMatchObject(refused);
    expect(await colony.preserved()).toMatchObject(refused);
    hold.open();
    expect(await asked).toMatchObject(refused);
  });

  test('[CE2] listeners hear what a failed append made durable all the same', async () => {
    const store = new MemoryStore();
    const journal = new DoubtfulJournal(store);
    const { colony, clock } = await open({ journal, reopenJournal: () => new DoubtfulJournal(store) });
    const heard: number[] = [];
    colony.subscribe((events) => void heard.push(...events.map(({ sequence }) => sequence)));
    await nextWorker(colony);
    journal.doubtful = true;
    const draft = { title: 'in doubt', body: '', paths: [], priority: 0, after: [], parent: null, labels: [] };
    expect(await colony.createIntents([{ ...draft, key: 'doubt' }])).toMatchObject({ ok: false });
    await clock.runUntil(clock.now() + whileMs);
    await nextWorker(colony);
    const first = heard[0] ?? 0;
    expect(heard).toEqual(Array.from({ length: colony.journal.sequence - first + 1 }, (_, index) => first + index));
  });

  test('[CE1] a colony that is closed while it opens again holds on to nothing', async () => {
    const store = new MemoryStore();
    const journal = new DoubtfulJournal(store);
    let again: DoubtfulJournal | null = null;
    const reopenJournal = () => {
      again = new DoubtfulJournal(store);
      return again;
    };
    const hold = new Hold();
    let opened = 0;
    const surround = (room: TrunkService): TrunkService =>
      altered(room, {
        open: async (history) => {
          opened += 1;
          if (opened > 1) await hold.passed;
          return room.open(history);
        },
      });
    const { colony, clock } = await open({ journal, reopenJournal, surround });
    journal.doubtful = true;
    const raised = await colony.submit({ kind: 'raise-attention', attention: 'storage', message: 'x' });
    expect(raised).toMatchObject({ ok: false });
    await clock.runUntil(clock.now() + whileMs);
    expect(opened).toBe(2);
    const closed = colony.close();
    await settle();
    hold.open();
    await closed;
    await settle();
    const left = again as DoubtfulJournal | null;
    await expect(left?.events(0, 1)).rejects.toThrow();
  });
});

describe('a broken assumption', () => {
  test('[CL6] [SE3] in a cycle it is told, and nothing is answered any more', async () => {
    const told: unknown[] = [];
    const surround = (room: TrunkService): TrunkService =>
      altered(room, {
        plan: () => Promise.reject(new TypeError('a fault of ours')),
      });
    const { colony } = await open({ surround, broken: (error) => void told.push(error) });
    const by = await nextWorker(colony);
    yes(await colony.propose(request(by, [{ path: 'a.txt', content: content('a') }])));
    await settle();
    expect(told).toEqual([new TypeError('a fault of ours')]);
    expect(await colony.putBlob(utf8('x'))).toMatchObject({ ok: false, error: { code: 'storage_unavailable' } });
    await colony.close();
  });

  test('[SE3] a command that breaks off half-way ends the session, and is told', async () => {
    const told: unknown[] = [];
    const surround = (room: TrunkService): TrunkService =>
      altered(room, {
        plan: async (asked) => {
          const answer = await room.plan(asked);
          return answer.kind === 'planned' ? { ...answer, outcomes: [] } : answer;
        },
      });
    const { colony } = await open({ surround, broken: (error) => void told.push(error) });
    const by = await nextWorker(colony);
    yes(await colony.propose(request(by, [{ path: 'a.txt', content: content('a') }])));
    await settle();
    expect(told).toHaveLength(1);
    expect(await colony.putBlob(utf8('x'))).toMatchObject({ ok: false, error: { code: 'storage_unavailable' } });
    await colony.close();
  });
});
