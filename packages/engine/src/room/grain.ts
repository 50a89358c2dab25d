// How much of a derived read counts, by the policy: per glob, then for global inputs, then by default.
//
// Never asked about declared reads: these are literal.

import type { TreePath } from '@firetrident/base';
import { compileGlob } from '@firetrident/content';
import type { Policy, ReadGrain } from '@firetrident/core';

/** The rule that was asked for last, with the part of the policy that it follows. */
let last: { readonly key: string; readonly grain: (path: TreePath) => ReadGrain } | null = null;

/**
 * The grain of derived reads by path. Of several globs the first that matches counts; a global input, which everything
 * depends on, is no read of anybody, so that its moving makes nobody stale (V3).
 */
export function grainRule({ reads, globalInputs }: Policy): (path: TreePath) => ReadGrain {
  const key = JSON.stringify([reads, globalInputs]);
  if (last?.key === key) return last.grain;
  const rules = [
    ...Object.entries(reads.paths).map(([glob, grain]) => ({ matches: compileGlob(glob), grain })),
    ...globalInputs.map((glob) => ({ matches: compileGlob(glob), grain: 'none' as const })),
  ];
  const grain = (path: TreePath) => rules.find(({ matches }) => matches(path))?.grain ?? reads.default;
  last = { key, grain };
  return grain;
}
