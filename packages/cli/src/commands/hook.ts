// `firetrident hook`: what a harness runs after each tool call, so that the colony learns what its agent reads.
//
//   HK1. A hook never holds up its harness and never speaks to its model: nothing is printed, and nothing waits for a daemon.

import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readListLine, readListName } from '@firetrident/base';
import { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { pathsRead, readHookMessage } from '../hook-reads.ts';
import type { CommandSettings } from '../program.ts';

/** Descriptor of standard input. */
const input = 0;

/** The command `hook` with what it can do. */
export function hookCommand(settings: CommandSettings): Command {
  const read = new Command('read')
    .description('note what a tool call has read; the harness gives its message on standard input')
    .action(() => noteReads(settings));
  return new Command('hook').description('what a harness runs after each tool call').addCommand(read);
}

function noteReads({ configuration }: CommandSettings): void {
  const message = readHookMessage(readFileSync(input, 'utf8'));
  if (message === null) {
    throw new CommandFailure(
      'standard input holds no message of a hook',
      'let a harness call this: firetrident connect claude --hooks --write',
      exitCodes.usage,
    );
  }
  const { repository, directory, reads } = configuration;
  if (repository === null) return;
  const top = realpathSync(repository);
  const placeOf = (path: string) => resolve(message.cwd ?? directory, path);
  const inside = pathsRead(message, (path) => isFile(placeOf(path)))
    .map((path) => relative(top, realpathSync(placeOf(path))))
    .filter((path) => !path.startsWith('..'));
  const lines = inside.map((path) => readListLine(path, 'hook'));
  if (lines.length > 0) appendFileSync(reads ?? join(gitFolder(top), readListName), lines.join(''));
}

/** The folder of git's own files; that of a worktree is its own. */
function gitFolder(top: string): string {
  return execFileSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: top, encoding: 'utf8' }).trim();
}

function isFile(place: string): boolean {
  try {
    return statSync(place).isFile();
  } catch {
    // Words of a command are mostly no paths: too long, below a file, with characters that no name has.
    return false;
  }
}
