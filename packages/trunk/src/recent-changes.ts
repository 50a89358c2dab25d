// What the newest commits of a branch changed, read by stock git: what a colony learns from when it begins.

import { pathText, type TreePath, utf8Text } from '@firetrident/base';
import { TrunkError } from './errors.ts';
import type { GitRunner } from './git-runner.ts';

/** One commit of one parent: its title, and the paths that it changed. */
export interface RecentChange {
  readonly title: string;
  readonly paths: readonly TreePath[];
}

/** Marks a title in what git prints; no line of a message begins with it. */
const titleMark = 1;

/**
 * The newest `atMost` commits of a branch that are no merges, oldest first. `directory` is a bare repository. Throws
 * TrunkError `git-failed`.
 */
export async function readRecentChanges(
  git: GitRunner,
  directory: string,
  branch: string,
  atMost: number,
): Promise<readonly RecentChange[]> {
  const form = ['-z', '--name-only', '--no-renames', '--no-merges', '--no-ext-diff', '--format=%x01%s'];
  const args = ['--git-dir', directory, 'log', `--max-count=${atMost}`, ...form, `refs/heads/${branch}`, '--'];
  const printed = await git.run(args);
  if (printed.code !== 0) throw new TrunkError('git-failed', `reading the history failed: ${printed.stderr.trim()}`);
  return changesOf(printed.stdout).reverse();
}

function changesOf(printed: Uint8Array): RecentChange[] {
  const changes: { title: string; paths: TreePath[] }[] = [];
  for (let start = 0; start < printed.length; ) {
    const end = printed.indexOf(0, start);
    const piece = printed.subarray(start, end < 0 ? printed.length : end);
    if (piece[0] === titleMark) changes.push({ title: utf8Text(piece.subarray(1)), paths: [] });
    // The first path of a commit has a line break before it.
    else if (piece.length > 0) changes.at(-1)?.paths.push(pathText(piece[0] === 0x0a ? piece.subarray(1) : piece));
    start += piece.length + 1;
  }
  return changes;
}
