// Putting preserved work back into the files of a checkout.
//
//   PW1. A checkout with changes of its own is not touched: nothing is lost by restoring what was lost.
//   PW2. What was preserved is put onto what the checkout holds now, with conflict markers where both changed the same.

import { join } from 'node:path';
import { runGit, tryGit } from '@firetrident/agents';
import { CommandFailure } from './failure.ts';

/** What was put back. */
export interface RestoredWork {
  readonly paths: readonly string[];
  /** Those of them in which both sides stand. */
  readonly conflicts: readonly string[];
}

/** Puts a commit's changes into the files of `directory`, which the commit's repository need not know. */
export async function restorePreserved(work: {
  readonly directory: string;
  /** Repository that holds the commit. */
  readonly repository: string;
  readonly commit: string;
}): Promise<RestoredWork> {
  const { directory, repository, commit } = work;
  const state = await tryGit(directory, ['status', '--porcelain', '-z']);
  if (state.code !== 0) throw new CommandFailure(`${directory} is no git checkout`, 'name one with --into');
  if (state.output.length > 0) {
    throw new CommandFailure(
      `${directory} has changes that are not committed`,
      'commit or stash them first, or name another with --into',
    ); // (PW1)
  }
  // The colony's objects are lent for the time of this, so that no ref of anybody is needed to find them.
  const environment = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository, 'objects') };
  // (PW2) Without rename detection, as the colony merges.
  const pick = ['-c', 'merge.renames=false', '-c', 'merge.conflictStyle=merge', 'cherry-pick', '--no-commit'];
  // Further parents are commits that were made inside a checkout; what was preserved is what differs from the first.
  const parents = await runGit(repository, ['rev-list', '--parents', '-1', commit]);
  const isMerge = parents.toString('latin1').trim().split(' ').length > 2;
  const picked = await tryGit(directory, [...pick, ...(isMerge ? ['-m', '1'] : []), commit], { environment });
  const paths = await names(directory, ['diff', '--name-only', '-z', 'HEAD'], environment);
  const conflicts = await names(directory, ['diff', '--name-only', '--diff-filter=U', '-z'], environment);
  if (picked.code !== 0 && conflicts.length === 0) {
    throw new CommandFailure(
      `git could not put ${commit} into ${directory}: ${picked.errors}`,
      'fetch it and look at it with git',
    );
  }
  await runGit(directory, ['reset', '-q']);
  return { paths, conflicts };
}

async function names(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string[]> {
  return (await runGit(directory, args, { environment })).toString('utf8').split('\0').filter(Boolean);
}
