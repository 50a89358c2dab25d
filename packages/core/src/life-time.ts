// How long intents lately lived from creation to landing, and from when on one is overdue (T2g).
//
//   LT1. One number is kept, however many intents land.

/** What the median moves by with each landing: up when that took longer, down when it did not. Half of them balance the other half. */
const step = 1.03;
/** An intent is overdue when it is older than so many medians. */
const mediansAtMost = 13;
/** No intent is overdue sooner than this, in milliseconds: where work takes no time, waiting a little is not starving. */
const overdueAfterAtLeastMs = 10_000;

/** The median of lives after one more: a running estimate that follows within some dozens of landings (LT1). */
export function medianLife(before: number | null, lifeMs: number): number {
  const latest = Math.max(1, lifeMs);
  if (before === null) return latest;
  return Math.max(1, latest > before ? Math.min(latest, before * step) : Math.max(latest, before / step));
}

/** Age from which a contended intent is overdue, in milliseconds; no age is while nothing has landed (T2g). */
export function overdueAfterMs(medianMs: number | null): number {
  return medianMs === null ? Number.POSITIVE_INFINITY : Math.max(overdueAfterAtLeastMs, medianMs * mediansAtMost);
}
