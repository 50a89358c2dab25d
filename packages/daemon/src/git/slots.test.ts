// Places and the line before them: order, fullness, and leaving.

import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const present = new AbortController().signal;

test('[SL1] [SL2] who comes first is served first, and who finds the line full is told', async () => {
  const slots = new Slots({ places: 1, line: 2, waitMs: 60_000 });
  const leave = await slots.enter(present);
  const order: string[] = [];
  const second = slots.enter(present).then((got) => {
    order.push('second');
    return got;
  });
  const third = slots.enter(present).then((got) => {
    order.push('third');
    return got;
  });
  expect(await slots.enter(present)).toBeNull();
  expect([slots.taken, slots.waiting]).toEqual([1, 2]);
  leave?.();
  // Giving a place back twice gives one back.
  leave?.();
  (await second)?.();
  (await third)?.();
  expect(order).toEqual(['second', 'third']);
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});

test('[SL2] [SL3] who waits too long or goes away gets none, and nobody loses a place by it', async () => {
  const slots = new Slots({ places: 1, line: 8, waitMs: 5 });
  const leave = await slots.enter(present);
  expect(await slots.enter(present)).toBeNull();
  const going = new AbortController();
  const gone = slots.enter(going.signal);
  going.abort();
  expect(await gone).toBeNull();
  leave?.();
  const next = await slots.enter(present);
  expect(next).not.toBeNull();
  next?.();
  expect(slots.taken).toBe(0);
});
