import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedSet } from './ordered-set.ts';

describe('OrderedSet', () => {
  it('[OS1] holds the same elements in the same order as a sorted array, whatever is added and removed', () => {
    const step = fc.record({ add: fc.boolean(), value: fc.integer({ min: 0, max: 600 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 2000 }), (steps) => {
        const set = new OrderedSet<number>((left, right) => left - right);
        const model = new Set<number>();
        for (const { add, value } of steps) {
          if (add) {
            expect(set.add(value)).toBe(!model.has(value));
            model.add(value);
          } else {
            expect(set.delete(value)).toBe(model.delete(value));
          }
          expect(set.has(value)).toBe(model.has(value));
        }
        const sorted = [...model].sort((left, right) => left - right);
        expect([...set]).toEqual(sorted);
        expect(set.size).toBe(sorted.length);
        expect(set.first()).toBe(sorted[0]);
      }),
      { numRuns: 60 },
    );
  });

  it('[OS2] finds an element by its order, not by its identity', () => {
    const set = new OrderedSet<{ key: number }>((left, right) => left.key - right.key);
    for (let key = 0; key < 1000; key += 1) set.add({ key: (key * 7919) % 1000 });
    expect(set.delete({ key: 500 })).toBe(true);
    expect(set.has({ key: 500 })).toBe(false);
    expect(set.size).toBe(999);
  });

  it('[OS1] needs few comparisons for each change of a large set', () => {
    let comparisons = 0;
    const set = new OrderedSet<number>((left, right) => {
      comparisons += 1;
      return left - right;
    });
    for (let value = 0; value < 100_000; value += 1) set.add((value * 7919) % 100_000);
    comparisons = 0;
    set.delete(50_000);
    set.add(50_000);
    expect(comparisons).toBeLessThan(60);
  });
});
