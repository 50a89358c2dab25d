// Which merge rule a path has, by the policy's globs.

import type { TreePath } from '@firetrident/base';
import { compileGlob } from '@firetrident/content';
import type { MergeRuleName, Policy, RegenerateRule } from '@firetrident/core';

/** What the policy says of a path whose contents conflict; neither where no glob matches. */
export interface PathRule {
  /** The rule by which it merges, or null. */
  readonly merge: MergeRuleName | null;
  /** The command by which it is made anew, or null. */
  readonly regenerate: string | null;
}

const regeneratePrefix = 'regenerate:';

const noRule: PathRule = { merge: null, regenerate: null };

/** The rule of a path under the policy: that of the first glob that matches. Globs were checked when the policy was set. */
export function mergeRules(policy: Policy): (path: TreePath) => PathRule {
  const rules = Object.entries(policy.merge).map(([glob, rule]) => ({
    matches: compileGlob(glob),
    rule: isRegenerate(rule)
      ? { merge: null, regenerate: rule.slice(regeneratePrefix.length) }
      : { merge: rule, regenerate: null },
  }));
  return (path) => rules.find(({ matches }) => matches(path))?.rule ?? noRule;
}

function isRegenerate(rule: MergeRuleName | RegenerateRule): rule is RegenerateRule {
  return rule.startsWith(regeneratePrefix);
}
