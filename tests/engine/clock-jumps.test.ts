// A clock that stands elsewhere after a restart: nothing runs out because of it, and nothing is given out twice.

import { type AgentId, type IntentId, utf8 } from '@firetrident/base';
import type { Event } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import { FaultyMemoryJournal } from '@firetrident/journal';
import { MemoryDisk } from '@firetrident/trunk';
import { describe, expect, test } from 'vitest';
import { plainDraft, registration } from '../support/colony-worker.ts';
import { type MemoryColony, memoryStartMs, openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const hourMs = 3_600_000;
const leaseMs = 600_000;
const repairWindowMs = 300_000;

/** A colony that is stopped and opened again with its clock elsewhere. */
class Boots {
  readonly #disk = new MemoryDisk();
  #journal = new FaultyMemoryJournal({ seed: 1 });
  clock = new VirtualClock(memoryStartMs);
  #opened: MemoryColony | null = null;

  get colony(): Colony {
    if (this.#opened === null) throw new Error('the colony is open');
    return this.#opened.colony;
  }

  async open(): Promise<void> {
    const { clock } = this;
    const policy = { leaseMs, repairWindowMs };
    this.#opened = await this.drive(openMemoryColony({ journal: this.#journal, disk: this.#disk, clock, policy }));
  }

  /** Cut off as by a kill, and opened again as much later, or earlier, as the clock says. */
  async restart(jumpMs: number): Promise<void> {
    this.#journal.powerCut();
    this.#journal = this.#journal.reopen();
    this.clock = new VirtualClock(this.clock.now() + jumpMs);
    await this.open();
  }

  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = () => {
      done = true;
    };
    work.then(end, end);
    while (!done) await this.clock.runUntil(this.clock.now() + 10);
    return work;
  }

  async events(): Promise<Event[]> {
    await this.drive(this.colony.close());
    const events = await this.#journal.reopen().events(0, 100_000);
    return events.map(({ body }) => JSON.parse(body) as Event);
  }
}

async function value<T>(
  answer: Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false }>,
): Promise<T> {
  const given = await answer;
  if (!given.ok) throw new Error(JSON.stringify(given));
  return given.value;
}

async function agent(boots: Boots, name: string): Promise<AgentId> {
  return (await boots.drive(value(boots.colony.submit(registration(name))))).agent;
}

async function intent(boots: Boots, title: string): Promise<IntentId> {
  return (await boots.drive(value(boots.colony.createIntents([plainDraft(title)])))).intents[0]?.id as IntentId;
}

async function take(boots: Boots, who: AgentId, which: IntentId) {
  const request = { agent: who, intent: which, paths: [], labels: [], waitMs: 0 };
  const taken = await boots.drive(value(boots.colony.take(request)));
  if (taken.kind === 'wait') throw new Error(taken.reason);
  return { agent: who, ...taken.grant };
}

type Grant = Awaited<ReturnType<typeof take>>;

async function propose(boots: Boots, grant: Grant, path: string) {
  const sent = await boots.drive(
    value(
      boots.colony.propose(proposeRequest(grant, [{ path, content: { bytes: utf8(`${path} by ${grant.agent}\n`) } }])),
    ),
  );
  return boots.drive(value(boots.colony.outcome(sent.proposal, 60_000)));
}

/** Ids that events gave out, with the place in the log where each appeared first. */
function givenOut(events: readonly Event[]): string[] {
  const given: string[] = [];
  for (const event of events) {
    switch (event.kind) {
      case 'intent-created':
        given.push(event.intent);
        break;
      case 'agent-registered':
        given.push(event.agent);
        break;
      case 'taken':
        given.push(event.lease);
        break;
      case 'proposed':
        given.push(event.proposal);
        break;
      case 'cycle-started':
        given.push(event.cycle, ...event.batches.map(({ id }) => id));
        break;
      default:
        break;
    }
  }
  return given;
}

describe('a restart with another time on the clock', () => {
  test.each([-720, -1, 0, 1, 720])('[C2c] expires no lease and no repair window: %i hours', async (hours) => {
    const boots = new Boots();
    await boots.open();
    const working = await take(boots, await agent(boots, 'ada'), await intent(boots, 'one'));
    const second = await take(boots, await agent(boots, 'bob'), await intent(boots, 'two'));
    await propose(boots, await take(boots, await agent(boots, 'cy'), await intent(boots, 'three')), 'same.txt');
    expect((await propose(boots, second, 'same.txt')).state).toBe('returned');
    await boots.clock.runUntil(boots.clock.now() + leaseMs / 4);
    await boots.restart(hours * hourMs);
    const { leases } = boots.colony.state;
    const openedAt = boots.clock.now();
    expect(leases.get(working.lease)?.expiresAt).toBeGreaterThan(openedAt + leaseMs - 1_000);
    expect(leases.get(second.lease)?.expiresAt).toBeGreaterThan(openedAt + repairWindowMs - 1_000);
    // Until the very end of a full term both may go on; whoever lets it pass loses the lease as ever.
    await boots.clock.runUntil(openedAt + repairWindowMs - 2_000);
    expect([...leases.keys()]).toEqual(expect.arrayContaining([working.lease, second.lease]));
    expect((await propose(boots, working, 'one.txt')).state).toBe('landed');
    await boots.clock.runUntil(openedAt + leaseMs + 2_000);
    expect(leases.has(second.lease)).toBe(false);
  });

  test.each([-720, -1, 0, 1, 720])('[ID1] [ID2] gives out no id and no epoch again: %i hours', async (hours) => {
    const boots = new Boots();
    await boots.open();
    const which = await intent(boots, 'taken again and again');
    const epochs: number[] = [];
    for (let boot = 0; boot < 4; boot += 1) {
      const grant = await take(boots, await agent(boots, `agent ${boot}`), which);
      epochs.push(grant.epoch);
      const fence = { agent: grant.agent, lease: grant.lease, epoch: grant.epoch };
      await boots.drive(value(boots.colony.submit({ kind: 'release', ...fence, why: null })));
      const other = await take(boots, await agent(boots, `other ${boot}`), await intent(boots, `other ${boot}`));
      expect((await propose(boots, other, `file-${boot}.txt`)).state).toBe('landed');
      // What is under way at the cut may be lost: its ids are not given out again either.
      boots.colony.createIntents([plainDraft(`perhaps lost ${boot}`)]).catch(() => undefined);
      await boots.restart(hours * hourMs);
    }
    expect(epochs).toEqual([...new Set(epochs)].sort((left, right) => left - right));
    const given = givenOut(await boots.events());
    expect(given.length).toBeGreaterThan(30);
    expect(new Set(given).size).toBe(given.length);
  });
});
