// The engine in memory, twice from one seed. The ground that simulation stands on.
//
//   E1. The same seed gives the same event log, byte for byte; another seed gives another.

import { type AgentId, type IntentId, RandomStream, utf8 } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { MemoryJournal } from '@firetrident/journal';
import { describe, expect, test } from 'vitest';
import { registration, yes } from '../support/colony-worker.ts';
import { openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';

const agentCount = 50;
const intentCount = 200;
const fileCount = 40;

interface Run {
  readonly log: string;
  readonly states: Readonly<Record<string, number>>;
}

/** One agent: takes, works for a drawn time, proposes with reads, repairs what comes back, until nothing is left. */
async function agentLoop(
  colony: Colony,
  clock: VirtualClock,
  agent: AgentId,
  random: RandomStream,
  states: Record<string, number>,
): Promise<void> {
  for (;;) {
    const taken = await colony.take({ agent, intent: null, paths: [], labels: [], waitMs: 0 });
    if (!taken.ok) throw new Error(taken.error.code);
    if (taken.value.kind === 'wait') {
      if (taken.value.reason === 'no open intent' && states['left'] === 0) return;
      await pass(clock, taken.value.retryAfterMs);
      continue;
    }
    const { grant } = taken.value;
    await pass(clock, 500 + random.below(5_000));
    const own = `src/f${random.below(fileCount)}.txt`;
    const read = `src/f${random.below(fileCount)}.txt`;
    const text = Array.from(
      { length: 12 },
      (_, line) => `line ${line} ${line === random.below(12) ? random.below(1_000) : ''}`,
    ).join('\n');
    const reads = read === own ? [] : [{ kind: 'file' as const, path: read }];
    const writes = [{ path: own, content: { bytes: utf8(`${text}\n`) } }];
    let status = await colony.propose(proposeRequest({ agent, ...grant }, writes, reads));
    for (;;) {
      if (!status.ok) throw new Error(status.error.code);
      let current = status.value;
      while (current.state === 'queued') {
        const outcome = await colony.outcome(current.proposal, 60_000);
        if (!outcome.ok) throw new Error(outcome.error.code);
        current = outcome.value;
      }
      states[current.state] = (states[current.state] ?? 0) + 1;
      if (current.state !== 'returned') break;
      await pass(clock, 200 + random.below(1_000));
      const answer = current.brief.writes.length > 0 ? 'redo' : 'confirm';
      status = await colony.repair({
        agent,
        lease: grant.lease,
        epoch: grant.epoch,
        proposal: current.proposal,
        answer,
        base: null,
        deriveReads: false,
        key: null,
        writes: answer === 'redo' ? writes : [],
        reads: [],
      });
    }
    states['left'] = (states['left'] ?? 0) - 1;
  }
}

function pass(clock: VirtualClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

async function run(seed: number): Promise<Run> {
  const journal = new MemoryJournal();
  const { colony, clock } = await openMemoryColony({ journal });
  const states: Record<string, number> = { left: intentCount };
  const drafts = Array.from({ length: intentCount }, (_, index) => ({
    title: `change ${index}`,
    body: '',
    paths: [`src/f${index % fileCount}.txt`],
    priority: index % 3,
    after: [] as IntentId[],
    parent: null,
    labels: [],
    key: null,
  }));
  await colony.createIntents(drafts);
  const random = new RandomStream(seed);
  const loops: Promise<void>[] = [];
  for (let index = 0; index < agentCount; index += 1) {
    const { agent } = yes(await colony.submit(registration(`agent ${index}`)));
    loops.push(agentLoop(colony, clock, agent, new RandomStream(random.below(1 << 30)), states));
  }
  let done = false;
  const all = Promise.all(loops).then(() => {
    done = true;
  });
  for (let until = clock.now(); !done; until += 1_000) await clock.runUntil(until);
  await all;
  await colony.close();
  const events = await journal.reopen().events(0, 1_000_000);
  return { log: events.map((event) => event.body).join('\n'), states };
}

describe('the engine on ports in memory', () => {
  test('[E1] the same seed gives the same event log, byte for byte', async () => {
    const first = await run(7);
    const second = await run(7);
    expect(second.log).toBe(first.log);
    expect(first.states['landed']).toBeGreaterThan(intentCount / 2);
    expect(first.states['left']).toBe(0);
  });

  test('[E1] another seed gives another log', async () => {
    const first = await run(7);
    const second = await run(8);
    expect(second.log).not.toBe(first.log);
  });
});
