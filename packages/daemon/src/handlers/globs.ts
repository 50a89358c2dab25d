// Globs of a request, checked before the colony sees any of it.

import { never } from '@firetrident/base';
import { checkGlob, type GlobRefusal } from '@firetrident/content';
import type { ErrorFacts } from '@firetrident/protocol';
import { errorFacts } from '../errors.ts';

/** The error that the first bad glob makes, or null when all are good. */
export function refusedGlob(globs: Iterable<string>): ErrorFacts | null {
  for (const glob of globs) {
    const checked = checkGlob(glob);
    if (!checked.ok) return errorFacts('glob_invalid', glob, { problem: problemText(checked.error) });
  }
  return null;
}

function problemText(refusal: GlobRefusal): string {
  switch (refusal.code) {
    case 'empty':
      return 'it is empty';
    case 'too_long':
      return `it has ${refusal.length} characters; the most is ${refusal.limit}`;
    case 'too_many_alternatives':
      return `its braces stand for more than ${refusal.limit} patterns`;
    case 'negated':
      return 'there are no negative patterns';
    case 'not_inside_tree':
      return 'it does not lie inside the tree';
    case 'unfinished':
      return 'it ends inside a bracket or an escape';
    default:
      return never(refusal);
  }
}
