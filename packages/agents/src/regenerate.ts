// The repair of a change whose only trouble is what a command makes: trunk comes into the files, and the command runs again.
//
// The commands are those that an administrator named in the colony's policy; they arrive with the brief, never with a file.
//
// Invariants:
//   RG1. Only a brief in which nothing else moved is answered so; in all other cases the work is done again.
//   RG2. What others landed is never undone: a path that is made anew starts from trunk's version of it.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BriefResponse } from '@firetrident/protocol';
import { runCommand } from './command.ts';
import { mergeTrunk } from './merge-trunk.ts';
import { gitOn, tryGitOn, type WorkTree } from './work-tree.ts';

/** Paths to make anew, and the commands that do it, each once and in the order of the brief. */
export interface Regeneration {
  readonly paths: readonly string[];
  readonly commands: readonly string[];
}

/** Where it happens, from which commit to which, and within which bounds. */
export interface RegenerationSettings {
  readonly tree: WorkTree;
  /** The commit that the files were changed on, and the one that the brief names. */
  readonly base: string;
  readonly trunk: string;
  /** Folder that commands may cache downloads in. */
  readonly cache: string;
  /** Longest run of one command. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What to make anew so that the change fits again; null when the brief asks for more than that (RG1). */
export function regenerationOf({ reads, writes }: BriefResponse): Regeneration | null {
  if (reads.length > 0 || writes.length === 0) return null;
  const paths = writes.flatMap(({ path, regenerate }) => (path === undefined || regenerate === undefined ? [] : path));
  if (paths.length < writes.length) return null;
  return { paths, commands: [...new Set(writes.flatMap(({ regenerate }) => regenerate ?? []))] };
}

/**
 * Brings trunk into the files and runs the commands. Answers why that was not possible, or null when it was; the files
 * are of no use then. Rejects with CommandUnusableError alone.
 */
export async function regenerate(what: Regeneration, settings: RegenerationSettings): Promise<string | null> {
  const { tree, base, trunk, cache, timeoutMs, signal } = settings;
  const { directory } = tree;
  for (const path of what.paths) await takeBack(tree, base, path);
  if (!(await mergeTrunk(tree, base, trunk))) return 'other files do not merge';
  mkdirSync(cache, { recursive: true });
  for (const command of what.commands) {
    const environment = { FT_CACHE: cache };
    const end = await runCommand({ command: [command], directory, environment, input: '', timeoutMs, signal });
    if (end.code !== 0) return `${command}: ${end.timedOut ? 'ran out of time' : end.output.trim().slice(-500)}`;
  }
  return null;
}

/** Has the path be as it was at the base, so that the merge takes trunk's version (RG2). */
async function takeBack(tree: WorkTree, base: string, path: string): Promise<void> {
  const literal = `:(literal)${path}`;
  const wasThere = (await tryGitOn(tree, ['cat-file', '-e', `${base}:${path}`])).code === 0;
  if (wasThere) return void (await gitOn(tree, ['checkout', '-q', base, '--', literal]));
  await gitOn(tree, ['rm', '-q', '-f', '--cached', '--ignore-unmatch', '--', literal]);
  const file = join(tree.directory, path);
  if (existsSync(file)) rmSync(file);
}
