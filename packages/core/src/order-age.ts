// The age of proposals, and when two entries are one.

import type { ProposalId } from '@firetrident/base';
import type { Entry } from './model.ts';

/**
 * Orders proposals oldest first. Ids hold a generation and a counter, both growing and only the latter padded, so a
 * longer id is a younger one.
 */
export function compareAge(left: { readonly id: ProposalId }, right: { readonly id: ProposalId }): number {
  if (left.id === right.id) return 0;
  if (left.id.length !== right.id.length) return left.id.length - right.id.length;
  return left.id < right.id ? -1 : 1;
}

/** Whether a path holds the same in both: mode and content. */
export function isSameEntry(left: Entry | null, right: Entry | null): boolean {
  if (left === null || right === null) return left === right;
  return left.oid === right.oid && left.mode === right.mode;
}
