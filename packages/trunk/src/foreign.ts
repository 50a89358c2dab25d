// How trunk moved by other hands.

import type { Oid } from '@firetrident/base';
import { TrunkError } from './errors.ts';
import type { History } from './history.ts';
import type { ForeignMove, PathChange } from './model.ts';

/** First-parent commits that are followed before a move is called too long to follow. */
const chainMax = 1_000_000;

/** Compares the tip with the last one known. `commits` of the answer are bounded by `limit`. */
export function describeMove(
  history: History,
  known: Oid,
  tip: Oid,
  limit: number,
  changedPaths: (from: Oid, to: Oid) => PathChange[],
): ForeignMove {
  if (tip === known) return { kind: 'same' };
  const ancestry = history.isAncestor(known, tip);
  if (ancestry === 'no') return { kind: 'rewound', tip };
  const chain =
    history.firstParents(tip, (oid) => oid === known, chainMax) ??
    // The known tip came in as the other parent of a merge: the chain ends where it meets the known history.
    history.firstParents(tip, (oid) => history.isAncestor(oid, known) === 'yes', limit * 10);
  if (ancestry === 'unknown' || !chain) {
    throw new TrunkError('unsupported', `trunk moved from ${known} to ${tip} by more commits than can be followed`);
  }
  const commits = chain.slice(0, limit).reverse();
  return { kind: 'advanced', tip, commits, total: chain.length, changes: changedPaths(known, tip) };
}
