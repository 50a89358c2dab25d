// The colony's setup command: what makes a fresh checkout ready to work in.
//
// Run once per checkout, and again only when the command or a file that decides about dependencies has changed.
//
// Invariants:
//   SU1. What setup made or changed is never part of a proposal: new files are ignored, tracked ones put back.

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import type { CommandEnd } from './process-group.ts';
import { gitOn, type WorkTree } from './work-tree.ts';

/** Files whose change means that dependencies have to be installed again. */
const dependencyFiles = [
  'package.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'requirements.txt',
  'uv.lock',
  'poetry.lock',
  'Cargo.lock',
  'go.sum',
  'Gemfile.lock',
];

/** Longest setup. */
const setupTimeoutMs = 1_800_000;

/** Runs the setup command in a clean checkout when it is due; answers how it ended, or null when nothing had to be done. */
export async function setUp(
  tree: WorkTree,
  command: string | null,
  cache: string,
  signal: AbortSignal,
): Promise<CommandEnd | null> {
  if (command === null) return null;
  const { directory, gitDirectory } = tree;
  const stamp = join(gitDirectory, 'firetrident-setup');
  const due = fingerprint(directory, command);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === due) return null;
  mkdirSync(cache, { recursive: true });
  const end = await runCommand({
    command: [command],
    directory,
    environment: { FT_CACHE: cache },
    input: '',
    timeoutMs: setupTimeoutMs,
    signal,
  });
  if (end.code !== 0) return end;
  await setAside(tree);
  writeFileSync(stamp, due);
  return end;
}

/** Has git ignore the files that setup made, and takes back what it did to tracked ones (SU1). */
async function setAside(tree: WorkTree): Promise<void> {
  const listed = await gitOn(tree, ['ls-files', '-z', '--others', '--exclude-standard', '--directory']);
  const made = listed.toString('latin1').split('\0').filter(Boolean);
  const patterns = made.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}\n`);
  if (patterns.length > 0) appendFileSync(join(tree.gitDirectory, 'info/exclude'), patterns.join(''), 'latin1');
  await gitOn(tree, ['reset', '-q', '--hard']);
}

function fingerprint(directory: string, command: string): string {
  const hash = createHash('sha256').update(command);
  for (const name of dependencyFiles) {
    const path = join(directory, name);
    if (existsSync(path)) hash.update(`\0${name}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
