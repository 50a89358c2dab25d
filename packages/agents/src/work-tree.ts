// A folder of files and the git directory that looks after it, which need not lie inside.
//
// Invariants:
//   WT1. What cannot be staged is named; it is never left out in silence.

import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { GitFailedError, type GitOptions, runGit, tryGit } from './run-git.ts';

/** Files, and where git keeps its account of them. */
export interface WorkTree {
  /** Folder of the files. */
  readonly directory: string;
  /** Folder of the index, the configuration and new objects; `.git` below the files, or one that is out of an agent's reach. */
  readonly gitDirectory: string;
}

/** A work tree that is an ordinary repository. */
export function ordinaryTree(directory: string): WorkTree {
  return { directory, gitDirectory: join(directory, '.git') };
}

/** Runs git on a work tree. Rejects with `GitFailedError` unless it exits with 0. */
export function gitOn(tree: WorkTree, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  return runGit(tree.directory, args, located(tree, options));
}

/** Runs git on a work tree where another exit code than 0 is an answer too. */
export function tryGitOn(tree: WorkTree, args: readonly string[], options: GitOptions = {}) {
  return tryGit(tree.directory, args, located(tree, options));
}

function located({ directory, gitDirectory }: WorkTree, options: GitOptions): GitOptions {
  // Both are named, so that neither a missing `.git` nor one above leads git to another repository.
  return { ...options, environment: { GIT_DIR: gitDirectory, GIT_WORK_TREE: directory, ...options.environment } };
}

/** The first line of what git printed. */
export function firstLine(output: Buffer): string {
  return output.toString('utf8').split('\n', 1)[0] ?? '';
}

/**
 * Stages everything that lies in the files and is not ignored. Answers the paths that git could not take, because they cannot
 * be read (WT1); null when it took all. Repositories inside are left as one entry each, as git does.
 */
export async function stageAll(tree: WorkTree): Promise<string | null> {
  const quiet = ['-c', 'advice.addEmbeddedRepo=false', '-c', 'advice.updateSparsePath=false'];
  const added = await tryGitOn(tree, [...quiet, 'add', '-A', '--sparse', '--ignore-errors']);
  if (added.code === 0) return null;
  const left = await gitOn(tree, ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard']);
  const paths = left.toString('utf8').split('\0').filter(Boolean);
  if (paths.length === 0) throw new GitFailedError(['add'], added.code, added.errors);
  return `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}: ${added.errors.split('\n')[0]}`;
}

/** A repository that lies inside a work tree, as bytes of its path from the root without a slash at the end. */
export type InnerRepository = Buffer;

/** Files below an inner repository, but its `.git` folders: paths from the root, and what git calls their mode. */
export function filesOf(tree: WorkTree, inner: InnerRepository): { path: Buffer; mode: string; link: Buffer | null }[] {
  const files: { path: Buffer; mode: string; link: Buffer | null }[] = [];
  const root = Buffer.from(`${tree.directory}/`);
  const open = [inner];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(Buffer.concat([root, folder]), { withFileTypes: true, encoding: 'buffer' })) {
      const name = entry.name as unknown as Buffer;
      if (name.equals(Buffer.from('.git'))) continue;
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const place = Buffer.concat([root, path]);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isSymbolicLink())
        files.push({ path, mode: '120000', link: readlinkSync(place, { encoding: 'buffer' }) as unknown as Buffer });
      else if (entry.isFile())
        files.push({ path, mode: (lstatSync(place).mode & 0o100) === 0 ? '100644' : '100755', link: null });
    }
  }
  return files;
}

/** Whether there is a git directory to work with. */
export function hasGitDirectory({ gitDirectory }: WorkTree): boolean {
  return existsSync(join(gitDirectory, 'HEAD'));
}
