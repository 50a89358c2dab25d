// The queue of events against a list that is sorted after each push.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';

describe('the event queue', () => {
  it('[EQ1] gives events by time, and those of one time in the order in which they came', () => {
    const steps = fc.array(fc.record({ after: fc.integer({ min: 0, max: 5 }), pops: fc.integer({ min: 0, max: 3 }) }), {
      maxLength: 600,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, (list) => {
        const queue = new EventQueue();
        const model: { at: number; subject: number }[] = [];
        for (const [subject, { after, pops }] of list.entries()) {
          const at = queue.atMs + after;
          queue.push(at, subject % 7, subject, subject * 2);
          const place = model.findIndex((other) => other.at > at);
          model.splice(place < 0 ? model.length : place, 0, { at, subject });
          for (let count = 0; count < pops && model.length > 0; count += 1) {
            const next = model.shift();
            expect(queue.pop()).toBe(true);
            const { atMs, kind, subject: found, stamp } = queue;
            expect([atMs, found]).toEqual([next?.at, next?.subject]);
            expect([kind, stamp]).toEqual([found % 7, found * 2]);
          }
          expect(queue.size).toBe(model.length);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('[EQ2] takes no event from before the last one', () => {
    const queue = new EventQueue();
    queue.push(10, 0, 0, 0);
    queue.pop();
    expect(() => queue.push(9, 0, 0, 0)).toThrow('in the future');
    expect(queue.pop()).toBe(false);
  });
});
