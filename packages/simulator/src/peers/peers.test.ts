// The rules of each peer on a few tasks, and what holds for all of them.

import { RandomStream } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../measure/result.ts';
import { type PolicyOptions, peerPolicies } from '../policy.ts';
import { copiesOf } from '../workload/copies.ts';
import type { HistoryCommit } from '../workload/history.ts';
import { LockableTasks } from './lockable-tasks.ts';
import { peerRuns } from './peers.ts';
import { optionsOf, type TaskDraft, workloadOf } from './tasks.fixture.ts';

const cost = { eventsPerSecond: 0, processorSeconds: 1, rssMiB: 0 };

/** A small history with a hot file that many read. */
function smallHistory(): HistoryCommit[] {
  const random = new RandomStream(5);
  return Array.from({ length: 40 }, (_, id) => ({
    id: `${id}`,
    time: id,
    files: [0, 1].map((place) => {
      const line = 1 + random.below(200);
      const path = place === 0 && random.below(3) === 0 ? 'hot.ts' : `src/f${random.below(60)}-${place}.ts`;
      return { path, status: 'M' as const, hunks: [[line, 1, line, 2] as const], symbols: [`s${random.below(4)}`] };
    }),
    reads: random.below(2) === 0 ? [] : [{ path: 'hot.ts', symbols: [`s${random.below(4)}`] }],
  }));
}

const history = smallHistory();
function options(agents: number, seed: number, redoShare = 0.1): PolicyOptions {
  const workload = copiesOf({ history, seed, copies: 3 });
  return { agents, seed, durationMs: 900_000, warmupMs: 100_000, workload, openTasks: agents * 3, redoShare };
}

describe('every peer', () => {
  it.each(peerPolicies)('[PO1] %s gives the same tally for the same options', (policy) => {
    const texts = [7, 7, 8].map((seed) => JSON.stringify(figuresOf(peerRuns[policy](options(20, seed)), cost)));
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it.each(peerPolicies)(
    '[NC1] [TA1] %s spends the time of its agents, no more, and lands no more than the bound',
    (policy) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(1_000), (agents, seed) => {
          const tally = peerRuns[policy](options(agents, seed));
          const spentMs = tally.workMs + tally.idleMs;
          expect(spentMs).toBeCloseTo(agents * 800_000, 0);
          expect(tally.redoneMs).toBeLessThanOrEqual(tally.workMs);
          // Useful work bounds the landings: a landing is at least as much of it as the shortest tasks are long.
          const bound = peerRuns['no-conflict'](options(agents, seed));
          expect(tally.workMs - tally.redoneMs).toBeLessThanOrEqual(bound.workMs + 1);
        }),
        { numRuns: 10 },
      );
    },
  );

  it.each(['locks-all', 'fifo-batch', 'speculative'] as const)('%s redoes more when repairs cost more', (policy) => {
    const rework = [0.1, 1].map((share) => figuresOf(peerRuns[policy](options(40, 1, share)), cost).reworkPercent);
    expect(rework[1]).toBeGreaterThan(rework[0] as number);
  });
});

describe('locks', () => {
  const sameFile: TaskDraft[] = [{ writes: [1], workMs: 1_000 }];

  it('[LK1] let one agent at a time change a file', () => {
    const tally = peerRuns['locks-all'](optionsOf(5, 10_500, sameFile));
    expect([tally.landings, tally.returns, tally.workMs]).toEqual([10, 0, 10_500]);
    expect(tally.idleMs).toBe(4 * 10_500);
  });

  it('[LK2] redo half of the work when a landing touched what was read', () => {
    const drafts: TaskDraft[] = [
      { writes: [1], reads: [2], workMs: 1_000 },
      { writes: [2], workMs: 600 },
      { writes: [3], workMs: 5_000 },
    ];
    const tally = peerRuns['locks-all'](optionsOf(2, 1_550, drafts));
    // The second task landed at 600; the first came back at 1,000 and was redone until 1,500.
    expect([tally.landings, tally.returns, tally.redoneMs]).toEqual([2, 1, 500]);
  });

  it('[AT1] wake who waits in the moment of the landing', () => {
    const tally = peerRuns['locks-all'](optionsOf(2, 3_000, sameFile));
    expect(tally.idleMs).toBe(3_000);
  });

  it('[LT2] see no further than the oldest', () => {
    const drafts: TaskDraft[] = [
      ...Array.from({ length: 202 }, () => sameFile[0] as TaskDraft),
      { writes: [2], workMs: 1_000 },
    ];
    const landings = (['locks-oldest-200', 'locks-all'] as const).map((policy) => {
      return peerRuns[policy]({ ...optionsOf(2, 1_500, drafts), openTasks: 250 }).landings;
    });
    // The second agent of the first peer gets to the free task only once the first task has left the line.
    expect(landings).toEqual([1, 2]);
  });

  it('[LT1] [LT3] take what a scan of the open tasks would take', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.constantFrom(3, 8, Number.POSITIVE_INFINITY), (seed, inSight) => {
        const random = new RandomStream(seed);
        const drafts = Array.from({ length: 50 }, () => ({
          writes: [...new Set([random.below(6), random.below(6)])],
          workMs: 1,
        }));
        const tasks = new LockableTasks(workloadOf(drafts), 8, inSight);
        const source = workloadOf(drafts);
        const open = Array.from({ length: 8 }, () => source.next());
        const held: (typeof open)[number][] = [];
        for (let step = 0; step < 60; step += 1) {
          if (held.length > 0 && random.below(2) === 0) {
            const [task] = held.splice(random.below(held.length), 1) as [(typeof open)[number]];
            tasks.release(task);
            continue;
          }
          const locked = new Set(held.flatMap((task) => task.files.map((file) => file.pathId)));
          const seen = open.slice(0, inSight);
          const expected = seen.find((task) => !task.files.some((file) => locked.has(file.pathId)));
          const taken = tasks.take(0)?.task;
          expect(taken?.id).toBe(expected?.id);
          if (expected === undefined) continue;
          held.push(expected);
          open.splice(open.indexOf(expected), 1);
          open.push(source.next());
        }
      }),
    );
  });
});

describe('the published rules', () => {
  it('[PR1] admit three agents to a region', () => {
    const drafts = [1, 2, 3, 4, 5].map((pathId): TaskDraft => ({ writes: [pathId], workMs: 1_000 }));
    const oneRegion = drafts.map((draft) => ({ ...draft, writes: [1] }));
    const idle = [drafts, oneRegion].map((each) => peerRuns['published-rules'](optionsOf(5, 900, each)).idleMs);
    expect(idle).toEqual([0, 2 * 900]);
  });

  it('[PR2] [PR3] redo all of the work when a file that was read or written was written', () => {
    const drafts: TaskDraft[] = [
      { writes: [1], line: 50, workMs: 1_000 },
      { writes: [1], line: 10, workMs: 600 },
    ];
    const tally = peerRuns['published-rules']({ ...optionsOf(2, 1_900, drafts), openTasks: 2 });
    // The second landed at 600; the first came back at 1,000 although both merge, and is redone until 2,000.
    expect([tally.returns, tally.redoneMs]).toEqual([1, 900]);
  });
});

describe('queues before trunk', () => {
  it('[QR1] [QR2] give back what does not merge, to be redone by half', () => {
    const drafts: TaskDraft[] = [{ writes: [1], workMs: 1_000 }];
    const tally = peerRuns['fifo-batch'](optionsOf(2, 11_400, drafts));
    // Both propose at 1,000; the first is checked until 11,000, and the second no longer merges then.
    expect([tally.landings, tally.returns, tally.redoneMs]).toEqual([1, 1, 400]);
  });

  it('[QR3] [FB2] [FB3] find a broken change by halving, and land the rest', () => {
    const drafts: TaskDraft[] = [
      { writes: [1], reads: [2], workMs: 900 },
      ...[2, 3, 4].map((pathId) => ({ writes: [pathId], workMs: 1_000 })),
    ];
    const tally = peerRuns['fifo-batch'](optionsOf(4, 200_000, drafts));
    expect(tally.landings).toBeGreaterThan(20);
    expect(tally.returns).toBeLessThan(tally.landings / 2);
  });

  it('[FB1] [QR4] land a whole batch after one check', () => {
    const drafts = [1, 2, 3, 4].map((pathId): TaskDraft => ({ writes: [pathId], workMs: 1_000 }));
    // The first to propose is checked alone; the other three are one batch after it.
    expect(peerRuns['fifo-batch'](optionsOf(4, 21_001, drafts)).landings).toBe(4);
  });

  it('[SP1] [SP2] check a whole chain at once', () => {
    const drafts = [1, 2, 3, 4].map((pathId): TaskDraft => ({ writes: [pathId], workMs: 1_000 }));
    expect(peerRuns.speculative(optionsOf(4, 11_001, drafts)).landings).toBe(4);
    const same = peerRuns.speculative(optionsOf(2, 11_001, [{ writes: [1], workMs: 1_000 }]));
    // The second waits for the first to land and goes back then, since it does not merge with it.
    expect([same.landings, same.returns]).toEqual([1, 1]);
  });
});
