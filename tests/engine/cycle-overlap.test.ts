// A cycle whose commit takes its time to become durable: the next one begins meanwhile, and makes nothing true before.

import { nodeCodec } from '@firetrident/adapters';
import { type ProposalId, utf8 } from '@firetrident/base';
import type { FaultPoint, TrunkService } from '@firetrident/engine';
import { type JournalBatch, JournalError, MemoryJournal, MemoryStore } from '@firetrident/journal';
import { TrunkRepository } from '@firetrident/trunk';
import { describe, expect, test } from 'vitest';
import { altered } from '../support/altered-room.ts';
import { worker, yes } from '../support/colony-worker.ts';
import { Hold } from '../support/hold.ts';
import { memoryDirectory, openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';
import { settle } from '../support/virtual-clock.ts';

/** A journal that keeps the commit of the first cycle waiting until it is let on, or fails it. */
class WaitingJournal extends MemoryJournal {
  #isHeld = true;
  #pass: (() => void) | null = null;
  #fail: (() => void) | null = null;

  override async append(batch: JournalBatch, expectedSequence: number): Promise<void> {
    if (this.#isHeld && batch.events.some((event) => event.includes('cycle-committed'))) {
      this.#isHeld = false;
      await new Promise<void>((resolve, reject) => {
        this.#pass = resolve;
        this.#fail = () => reject(new JournalError('failed', 'the disk did not answer', 'here', 'look at the disk'));
      });
    }
    await super.append(batch, expectedSequence);
  }

  pass(): void {
    this.#pass?.();
  }

  fail(): void {
    this.#fail?.();
  }
}

/** Two proposals whose cycles follow each other: the second is queued while the first is about to move trunk. */
async function twoCycles(plan: (room: TrunkService) => TrunkService['plan'] = (room) => room.plan.bind(room)) {
  const store = new MemoryStore();
  const journal = new WaitingJournal(store);
  const reached: FaultPoint[] = [];
  const hold = new Hold();
  const opened = await openMemoryColony({
    journal,
    reached: (point) => void reached.push(point),
    reopenJournal: () => new MemoryJournal(store),
    surround: (room) => altered(room, { move: (cycle) => hold.passed.then(() => room.move(cycle)), plan: plan(room) }),
  });
  const proposals: ProposalId[] = [];
  for (const name of ['ada', 'ben']) {
    const { agent, grant } = await worker(opened.colony, name);
    const writes = [{ path: `${name}.txt`, content: { bytes: utf8(`${name}\n`) } }];
    proposals.push(yes(await opened.colony.propose(proposeRequest({ agent, ...grant }, writes))).proposal);
    await settle();
  }
  hold.open();
  await settle();
  return { ...opened, journal, reached, proposals };
}

/** The points reached, one after the other, in cycles that are told apart by their number. */
function numbered(reached: readonly FaultPoint[]): string[] {
  const counts = new Map<FaultPoint, number>();
  return reached.map((point) => {
    counts.set(point, (counts.get(point) ?? 0) + 1);
    return `${point} ${counts.get(point)}`;
  });
}

describe('a commit that is not durable yet', () => {
  test('[CL10] [CL2] [SE2] lets the next cycle begin, whose refs move only after it, and nobody hears of it', async () => {
    const { colony, clock, journal, reached, proposals } = await twoCycles();
    await clock.runUntil(clock.now() + 1_000);
    expect(numbered(reached)).toEqual([
      'cycle-started 1',
      'pack-written 1',
      'intention-durable 1',
      'refs-moved 1',
      'cycle-started 2',
      'pack-written 2',
    ]);
    let heard = false;
    void colony.outcome(proposals[0] as ProposalId, 60_000).then(() => {
      heard = true;
    });
    await settle();
    expect(heard).toBe(false);
    journal.pass();
    await clock.runUntil(clock.now() + 1_000);
    expect(heard).toBe(true);
    for (const proposal of proposals) expect(yes(await colony.outcome(proposal, 0)).state).toBe('landed');
    expect(numbered(reached).slice(6)).toEqual([
      'commit-durable 1',
      'intention-durable 2',
      'refs-moved 2',
      'commit-durable 2',
    ]);
    await colony.close();
  });

  test('[CL10] [RE2] [SE3] and fails: opened again, the colony has what trunk holds, and lands the rest once', async () => {
    const { colony, clock, disk, journal, reached, proposals } = await twoCycles();
    expect(numbered(reached)).toContain('cycle-started 2');
    expect(numbered(reached)).not.toContain('intention-durable 2');
    journal.fail();
    await clock.runUntil(clock.now() + 30_000);
    for (const proposal of proposals) expect(yes(await colony.outcome(proposal, 0)).state).toBe('landed');
    const { tip, totals } = colony.state;
    expect(totals.landed).toBe(2);
    const repository = TrunkRepository.open(disk, nodeCodec, { directory: memoryDirectory });
    expect(repository.tip()).toBe(tip);
    await colony.close();
  });

  test('[CL10] [TR1] and fails while the next one is planned: what was planned is out of the way when the colony opens again', async () => {
    const hold = new Hold();
    let plans = 0;
    const { colony, clock, journal, proposals } = await twoCycles((room) => async (request) => {
      plans += 1;
      // The second is of the session that fails. The next session's come right behind it.
      if (plans === 2) await hold.passed;
      return room.plan(request);
    });
    journal.fail();
    await clock.runUntil(clock.now() + 30_000);
    expect(plans).toBe(2);
    hold.open();
    await clock.runUntil(clock.now() + 30_000);
    for (const proposal of proposals) expect(yes(await colony.outcome(proposal, 0)).state).toBe('landed');
    expect(colony.state.totals.landed).toBe(2);
    await colony.close();
  });

  test('[CL10] holds up a shutdown until it is', async () => {
    const { colony, clock, disk, journal, proposals } = await twoCycles();
    let closed = false;
    const closing = colony.close().then(() => {
      closed = true;
    });
    await clock.runUntil(clock.now() + 1_000);
    expect(closed).toBe(false);
    journal.pass();
    await clock.runUntil(clock.now() + 1_000);
    await closing;
    const again = await openMemoryColony({ journal: journal.reopen(), disk, clock });
    for (const proposal of proposals) expect(yes(await again.colony.outcome(proposal, 0)).state).toBe('landed');
    await again.colony.close();
  });
});
