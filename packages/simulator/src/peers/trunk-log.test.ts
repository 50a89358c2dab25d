// What trunk remembers for the peers.

import { describe, expect, it } from 'vitest';
import { ChangesAhead } from './changes-ahead.ts';
import { type TaskDraft, taskOf } from './tasks.fixture.ts';
import { TrunkLog } from './trunk-log.ts';

const task = (draft: Omit<TaskDraft, 'workMs'>) => taskOf({ ...draft, workMs: 1 }, 0);
const fileOf = (line: number) => task({ writes: [1], line }).files[0] as ReturnType<typeof taskOf>['files'][number];
const read = (symbols: string[] | null) => ({ path: 'd1/f1.ts', pathId: 1, symbols });

describe('the log of trunk', () => {
  it('[TL1] tells what moved after a base', () => {
    const log = new TrunkLog();
    log.land(task({ writes: [1], symbols: ['one'] }));
    log.land(task({ writes: [2], symbols: ['one'] }));
    expect(log.tip).toBe(2);
    expect([log.fileMoved(1, 0), log.fileMoved(1, 1), log.fileMoved(2, 1), log.fileMoved(3, 0)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    const moved = [['one'], ['two'], ['*'], null].map((symbols) => log.readMoved(read(symbols), 0));
    expect(moved).toEqual([true, false, true, true]);
    expect(log.readMoved(read(['one']), 1)).toBe(false);
  });

  it('[TL2] conflicts where ranges touch, and where it no longer knows', () => {
    const log = new TrunkLog();
    log.land(task({ writes: [1], line: 50 }));
    expect([48, 49, 50, 51, 52].map((line) => log.conflicts(fileOf(line), 0))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(log.conflicts(fileOf(50), 1)).toBe(false);
    for (let landing = 0; landing < 600; landing += 1) log.land(task({ writes: [1], line: 50 }));
    expect(log.conflicts(fileOf(10), 0)).toBe(true);
    expect(log.conflicts(fileOf(10), log.tip - 100)).toBe(false);
  });
});

describe('changes ahead', () => {
  it('[CA1] conflict by ranges and move reads by names', () => {
    const ahead = new ChangesAhead();
    ahead.add(task({ writes: [1], line: 50, symbols: ['all'] }));
    ahead.add(task({ writes: [2], symbols: ['other'] }));
    expect(ahead.conflictWith(task({ writes: [1], line: 51 }))).toBe(true);
    expect(ahead.conflictWith(task({ writes: [1], line: 60 }))).toBe(false);
    expect([1, 2, 3].map((pathId) => ahead.moveReadsOf(task({ writes: [], reads: [pathId] })))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
