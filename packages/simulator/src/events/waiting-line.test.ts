// A line against a plain array.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WaitingLine } from './waiting-line.ts';

describe('a waiting line', () => {
  it('lets go first who came first, however it grew', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400, size: 'max' }), (steps) => {
        const line = new WaitingLine();
        const model: number[] = [];
        for (const [number, joins] of steps.entries()) {
          if (joins || model.length === 0) {
            line.join(number);
            model.push(number);
          } else {
            line.leave();
            model.shift();
          }
          expect([line.first(), line.size]).toEqual([model[0], model.length]);
        }
      }),
    );
  });
});
