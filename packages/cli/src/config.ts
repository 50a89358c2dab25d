// What the command line takes from its surroundings: environment, current folder, terminal. Read once, here.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The surroundings of one invocation. */
export interface CliConfiguration {
  /** Address and token from FT_URL and FT_TOKEN, when they are set. */
  readonly url: string | null;
  readonly token: string | null;
  /** Where a daemon's data lies unless told otherwise: `.firetrident` of the repository around the current folder. */
  readonly data: string;
  /** Top of the git repository around the current folder; null outside of any. */
  readonly repository: string | null;
  readonly directory: string;
  readonly colour: boolean;
  readonly interactive: boolean;
}

export function readConfiguration(): CliConfiguration {
  const directory = process.cwd();
  const repository = topOf(directory);
  const interactive = process.stdout.isTTY === true;
  return {
    url: process.env['FT_URL'] ?? null,
    token: process.env['FT_TOKEN'] ?? null,
    data: join(repository ?? directory, '.firetrident'),
    repository,
    directory,
    colour: interactive && process.env['NO_COLOR'] === undefined,
    interactive,
  };
}

function topOf(directory: string): string | null {
  try {
    const options = {
      cwd: directory,
      encoding: 'utf8' as const,
      stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'],
    };
    return execFileSync('git', ['rev-parse', '--show-toplevel'], options).trim();
  } catch {
    // Not a repository, or no git: both mean that there is no repository around us.
    return null;
  }
}
