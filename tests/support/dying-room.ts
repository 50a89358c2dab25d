// A fault module whose trunk thread dies of an error that nobody catches, a while after it has begun.

import type { RoomFaults } from '../../packages/adapters/src/room-faults.ts';

/** How long the thread lives, in milliseconds. */
const lifeMs = 1_500;

setTimeout(() => {
  throw new Error('this thread was to die');
}, lifeMs);

export const roomFaults: Partial<RoomFaults> = {};
