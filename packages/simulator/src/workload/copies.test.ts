// Tasks drawn from copies of a history.

import { RandomStream } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { copiesOf } from './copies.ts';
import type { HistoryCommit } from './history.ts';
import type { Task, Workload } from './task.ts';
import { drawWorkMs } from './work-time.ts';

const file = (path: string) => ({ path, status: 'M' as const, hunks: [], symbols: null });
const history: HistoryCommit[] = [
  { id: 'a', time: 1, files: [file('x'), file('d/y')], reads: [{ path: 'z', symbols: ['one'] }] },
  { id: 'b', time: 2, files: [file('z')], reads: [] },
];

function drawn(workload: Workload, count: number): Task[] {
  return Array.from({ length: count }, () => workload.next());
}

describe('copies of a history', () => {
  it('[CO1] give equal numbers to equal paths and to no others, below the bound', () => {
    const workload = copiesOf({ history, seed: 1, copies: 7 });
    const numbers = new Map<string, number>();
    for (const task of drawn(workload, 500)) {
      const folders = new Set<string | undefined>();
      for (const { path, pathId } of [...task.files, ...task.reads]) {
        expect(numbers.get(path) ?? pathId).toBe(pathId);
        numbers.set(path, pathId);
        folders.add(path.split('/')[0]);
      }
      expect(folders.size).toBe(1);
    }
    expect(numbers.size).toBe(21);
    expect(new Set(numbers.values()).size).toBe(21);
    expect(Math.max(...numbers.values())).toBeLessThan(workload.pathCount);
  });

  it('[TK1] give the same tasks for the same seed, and others for another', () => {
    const texts = [1, 1, 2].map((seed) => JSON.stringify(drawn(copiesOf({ history, seed }), 50)));
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it('[CO2] keep the draws of commits when the distribution of work changes', () => {
    const work = { medianMs: 5, spread: 0 };
    const short = drawn(copiesOf({ history, seed: 3, work }), 50);
    const usual = drawn(copiesOf({ history, seed: 3 }), 50);
    expect(short.map((task) => task.title)).toEqual(usual.map((task) => task.title));
    expect(short.every((task) => task.workMs === 5)).toBe(true);
  });

  it('[WT1] draw log-normal times around their median', () => {
    const random = new RandomStream(1);
    const times = Array.from({ length: 20_001 }, () => drawWorkMs(random, { medianMs: 100, spread: 0.6 })).sort(
      (left, right) => left - right,
    );
    expect(times[10_000]).toBeGreaterThan(97);
    expect(times[10_000]).toBeLessThan(103);
    // One standard deviation above the median lies at 84.1 % of the draws.
    expect(times[16_826]).toBeGreaterThan(100 * Math.exp(0.57));
    expect(times[16_826]).toBeLessThan(100 * Math.exp(0.63));
  });
});
