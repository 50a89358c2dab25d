// Which merge rule a path has, by the policy's globs.

import type { TreePath } from '@firetrident/base';
import { compileGlob } from '@firetrident/content';
import type { MergeRuleName, Policy } from '@firetrident/core';

/** The rule of a path under the policy: that of the first glob that matches. Globs were checked when the policy was set. */
export function mergeRules(policy: Policy): (path: TreePath) => MergeRuleName | null {
  const rules = Object.entries(policy.merge).map(([glob, rule]) => ({ matches: compileGlob(glob), rule }));
  return (path) => rules.find(({ matches }) => matches(path))?.rule ?? null;
}
