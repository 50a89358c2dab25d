// How strong a claim still is.

import type { Policy } from './policy.ts';

/** A claim below this strength is gone (C1c). */
export const goneBelow = 0.05;

/** Half-lives until a claim is gone: the binary logarithm of 1 ÷ `goneBelow`. */
const halfLivesToGo = 4.321928094887363;

/** Strength of a claim: 1 at `refreshedAt`, half of it after each half-life, 0 once it is gone (C1a, C1c). */
export function strengthAt(policy: Policy, refreshedAt: number, now: number): number {
  const halfLives = Math.max(0, now - refreshedAt) / policy.claimHalfLifeMs;
  return halfLives >= halfLivesToGo ? 0 : 2 ** -halfLives;
}

/** When a claim that was refreshed at `refreshedAt` is gone. */
export function goneAt(policy: Policy, refreshedAt: number): number {
  return refreshedAt + Math.ceil(policy.claimHalfLifeMs * halfLivesToGo);
}
