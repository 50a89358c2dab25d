// Changes put onto another commit by stock git, with conflict markers where both sides changed the same lines.
//
// Invariants:
//   RA1. The changes are a commit of the checkout's own before anything is moved, so nothing can lose them.

import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGit, tryGit } from '@firetrident/agents';

const identity = {
  GIT_AUTHOR_NAME: 'FireTrident',
  GIT_AUTHOR_EMAIL: 'agent@firetrident.invalid',
  GIT_COMMITTER_NAME: 'FireTrident',
  GIT_COMMITTER_EMAIL: 'agent@firetrident.invalid',
};

/** Puts what differs from `base` onto `target`. Answers the paths that need a person. */
export async function reapply(directory: string, base: string, target: string): Promise<string[]> {
  await runGit(directory, ['add', '-A']);
  const tree = (await runGit(directory, ['write-tree'])).toString().trim();
  const mine = ['commit-tree', tree, '-p', base, '-m', 'Changes of this checkout'];
  const changes = (await runGit(directory, mine, { environment: identity })).toString().trim();
  await runGit(directory, ['update-ref', 'refs/firetrident/returned', changes]); // (RA1)
  await runGit(directory, ['update-ref', '--no-deref', 'HEAD', target]);
  await runGit(directory, ['reset', '-q', '--hard', target]);
  // Without rename detection, as the colony merges.
  const pick = ['-c', 'merge.renames=false', '-c', 'merge.conflictStyle=merge', 'cherry-pick', '--no-commit', changes];
  const picked = await tryGit(directory, pick, { environment: identity });
  const unmerged = await runGit(directory, ['diff', '--name-only', '--diff-filter=U', '-z']);
  const conflicts = unmerged.toString('utf8').split('\0').filter(Boolean);
  if (picked.code !== 0 && conflicts.length === 0) {
    throw new Error(
      `git could not put the changes onto ${target}: ${picked.errors}; they are refs/firetrident/returned`,
    );
  }
  // The sides are in the files now; the next proposal takes the files as they are.
  await runGit(directory, ['reset', '-q']);
  return conflicts;
}

/** Those of the paths that still hold a conflict marker. */
export function stillConflicting(directory: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const place = join(directory, path);
    if (!existsSync(place) || !lstatSync(place).isFile()) return false;
    return /^(<{7} |>{7} )/m.test(readFileSync(place, 'latin1'));
  });
}
