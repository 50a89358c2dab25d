// Which paths never land as a merge, by the policy's globs.

import type { TreePath } from '@firetrident/base';
import { compileGlob } from '@firetrident/content';
import type { Policy } from '@firetrident/core';

/** Whether a path is strict under the policy. Globs were checked when the policy was set. */
export function strictRule(policy: Policy): (path: TreePath) => boolean {
  const matchers = policy.strict.map((glob) => compileGlob(glob));
  return (path) => matchers.some((matches) => matches(path));
}
