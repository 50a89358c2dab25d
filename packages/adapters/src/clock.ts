// Time on Node: the wall clock at boot, and the monotonic clock from there on.

import type { Clock } from '@firetrident/engine';

/** A clock that never runs backwards, whatever happens to the wall clock. */
export function nodeClock(): Clock {
  const bootedAt = Date.now();
  const start = performance.now();
  return {
    now: () => bootedAt + Math.floor(performance.now() - start),
    after(delayMs, callback) {
      const timer = setTimeout(callback, Math.min(delayMs, 2_147_483_647));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
