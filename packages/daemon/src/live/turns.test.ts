import { describe, expect, it } from 'vitest';
import { Turns, waitingAtMost } from './turns.ts';

/** Until the event loop has turned once. */
const oneTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('turns', () => {
  it('[CT1] [CT2] begin what comes in order, as much as a turn holds; the rest follows turn by turn', async () => {
    let now = 0;
    const begun: number[] = [];
    const turns = new Turns(() => now);
    /** Work that takes two milliseconds: three fit into a turn of five. */
    const come = (number: number) =>
      turns.begin(() => {
        begun.push(number);
        now += 2;
      });
    for (const number of [0, 1, 2, 3, 4, 5, 6]) come(number);
    expect(begun).toEqual([0, 1, 2]);
    await oneTurn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
    // It comes while others wait, and stands behind them.
    come(7);
    expect(begun).toHaveLength(6);
    await oneTurn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await oneTurn();
    come(8);
    expect(begun.at(-1)).toBe(8);
  });

  it('[CT3] hold a bounded number, and begin the oldest with each one more', async () => {
    let [now, takesMs] = [0, 5];
    const begun: number[] = [];
    const turns = new Turns(() => now);
    for (let number = 0; number < 3 * waitingAtMost; number += 1) {
      turns.begin(() => {
        begun.push(number);
        now += takesMs;
      });
    }
    expect(begun).toEqual(Array.from({ length: 2 * waitingAtMost }, (_, index) => index));
    takesMs = 0;
    await oneTurn();
    expect(begun).toHaveLength(3 * waitingAtMost);
  });
});
