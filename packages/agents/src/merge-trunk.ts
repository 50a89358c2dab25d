// Bringing what landed since into a checkout where somebody is at work: all of it, or nothing.
//
// Works with an index of its own, so that the command's git is not in the way.
//
// Invariants:
//   MG1. Nothing changes unless every path merges cleanly, by git's three-way merge without rename detection.
//   MG2. A file that is edited meanwhile is never overwritten: git refuses, and nothing changes.

import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { headCommit, pointHead } from './git-directory.ts';
import { firstLine, tryGitOn, type WorkTree } from './work-tree.ts';

const identity = {
  GIT_AUTHOR_NAME: 'FireTrident',
  GIT_AUTHOR_EMAIL: 'colony@firetrident.invalid',
  GIT_COMMITTER_NAME: 'FireTrident',
  GIT_COMMITTER_EMAIL: 'colony@firetrident.invalid',
};

/**
 * Merges the way from `base` to `trunk` into the files of a checkout that were at `base`; answers whether it did (MG1).
 * Never rejects because of what the files are.
 */
export async function mergeTrunk(tree: WorkTree, base: string, trunk: string): Promise<boolean> {
  const { gitDirectory, directory } = tree;
  const index = join(gitDirectory, 'firetrident-index');
  const usual = join(gitDirectory, 'index');
  if (existsSync(usual)) copyFileSync(usual, index);
  const environment = { GIT_INDEX_FILE: index, ...identity };
  const git = (...args: string[]) => tryGitOn(tree, args, { environment });
  try {
    if ((await git('add', '-A', '--sparse')).code !== 0) return false;
    const ours = await wordOf(git('write-tree'));
    const commit = ours === null ? null : await wordOf(git('commit-tree', ours, '-p', base, '-m', 'Work so far'));
    if (ours === null || commit === null) return false;
    const merged = await wordOf(git('-c', 'merge.renames=false', 'merge-tree', '--write-tree', commit, trunk));
    if (merged === null) return false;
    // Looks at every file that it is about to change, and changes none when one is not as it was (MG2).
    if ((await git('read-tree', '-m', '-u', ours, merged)).code !== 0) return false;
    // Where nobody has committed inside, the branch there follows.
    const inside = join(directory, '.git');
    if (headCommit(inside) === base) pointHead(inside, trunk);
    return true;
  } finally {
    rmSync(index, { force: true });
  }
}

/** The first line of what git printed, or null when it refused. */
async function wordOf(run: ReturnType<typeof tryGitOn>): Promise<string | null> {
  const { code, output } = await run;
  return code === 0 ? firstLine(output) : null;
}
