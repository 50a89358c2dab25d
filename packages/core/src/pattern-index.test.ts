import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Pattern, parsePattern, repels } from './pattern.ts';
import { PatternIndex } from './pattern-index.ts';

const pattern = fc
  .array(fc.constantFrom('a', 'b', 'c.d', '*', '**', 'a*'), { minLength: 1, maxLength: 4 })
  .map((segments) => parsePattern(segments.join('/')));

function found(index: PatternIndex<number>, query: Pattern): number[] {
  const items = new Set<number>();
  index.visit(query, (item) => {
    items.add(item);
    return true;
  });
  return [...items].sort((left, right) => left - right);
}

describe('PatternIndex', () => {
  it('[PI1] finds exactly what a scan of everything finds, after any additions and removals', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 40 }),
        fc.array(fc.nat(39), { maxLength: 20 }),
        pattern,
        (filed, gone, query) => {
          const index = new PatternIndex<number>();
          filed.forEach((one, item) => {
            index.add(one, item);
          });
          const removed = new Set(gone.filter((item) => item < filed.length));
          for (const item of removed) index.remove(filed[item] as Pattern, item);
          const expected = [...filed.keys()].filter(
            (item) => !removed.has(item) && repels(query, filed[item] as Pattern),
          );
          expect(found(index, query)).toEqual(expected);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('[PI1] stops as soon as the visitor has seen enough', () => {
    const index = new PatternIndex<number>();
    for (let item = 0; item < 100; item += 1) index.add(parsePattern(`src/f${item}.ts`), item);
    let seen = 0;
    const through = index.visit(parsePattern('src/**'), () => {
      seen += 1;
      return seen < 5;
    });
    expect(through).toBe(false);
    expect(seen).toBe(5);
  });
});
