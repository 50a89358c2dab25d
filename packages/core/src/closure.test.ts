// Remembered verdicts: against judging anew every time.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VerdictMemory } from './closure.ts';

/** Follows links from place to place, as a read follows re-exports: what it looks at depends on what it sees. */
function follow(from: string, sight: (place: string) => string): string {
  const path = [from];
  for (let at = from; path.length < 5; ) {
    at = sight(at);
    path.push(at);
  }
  return path.join();
}

describe('remembered verdicts', () => {
  const places = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const moves = fc.array(fc.tuple(places, places, places), { minLength: 1, maxLength: 60 });

  it('[CM1] [CM2] [V5a] are what judging anew would give, whatever moved in between', () => {
    const property = fc.property(moves, fc.integer({ min: 1, max: 4 }), (list, bound) => {
      const memory = new VerdictMemory<string>(bound);
      const world = new Map(['a', 'b', 'c', 'd', 'e'].map((place) => [place, 'a']));
      const look = (place: string) => world.get(place) as string;
      for (const [place, to, subject] of list) {
        world.set(place, to);
        const verdict = memory.verdict(subject, look, (sight) => ({
          verdict: follow(subject, sight),
          isCertain: true,
        }));
        expect(verdict).toBe(follow(subject, look));
      }
      expect(memory.recalled + memory.found).toBe(list.length);
    });
    fc.assert(property);
  });

  it('[CM1] are recalled while nothing that they looked at moved, and when it moved back', () => {
    const memory = new VerdictMemory<string>(8);
    const world = new Map([
      ['a', '1'],
      ['b', '1'],
    ]);
    const ask = () => {
      const look = (place: string) => world.get(place) ?? '';
      return memory.verdict('s', look, (sight) => ({ verdict: `v${sight('a')}`, isCertain: true }));
    };
    expect([ask(), ask()]).toEqual(['v1', 'v1']);
    world.set('b', '2');
    expect(ask()).toBe('v1');
    world.set('a', '2');
    expect(ask()).toBe('v2');
    world.set('a', '1');
    expect(ask()).toBe('v1');
    expect([memory.recalled, memory.found]).toEqual([3, 2]);
  });

  it('[CM1] are not kept when they are not certain', () => {
    const memory = new VerdictMemory<number>(8);
    const ask = (verdict: number) =>
      memory.verdict(
        's',
        () => '',
        () => ({ verdict, isCertain: false }),
      );
    expect([ask(1), ask(2)]).toEqual([1, 2]);
    expect(memory.recalled).toBe(0);
  });
});
