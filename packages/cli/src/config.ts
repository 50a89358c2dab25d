// What the command line takes from its surroundings: environment, current folder, terminal. Read once, here.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

/** The surroundings of one invocation. */
export interface CliConfiguration {
  /** Address and token from FT_URL and FT_TOKEN, when they are set. */
  readonly url: string | null;
  readonly token: string | null;
  /** Where a daemon's data lies unless told otherwise: FT_DATA, else `.firetrident` of the repository around the current folder. */
  readonly data: string;
  /** Top of the git repository around the current folder; null outside of any. */
  readonly repository: string | null;
  readonly directory: string;
  /** The list of what was read that a runner keeps: FT_READS. */
  readonly reads: string | null;
  /** Folders in which programs are found, as the environment lists them. */
  readonly path: string;
  /** Name of the person at the machine, for agents without a name. */
  readonly user: string;
  /** Whether standard output and standard error are terminals, and colours are wanted there. */
  readonly interactive: boolean;
  readonly interactiveErrors: boolean;
  readonly colour: boolean;
  readonly colourErrors: boolean;
}

/** Reads the surroundings. An empty variable counts as unset. */
export function readConfiguration(): CliConfiguration {
  const { FT_URL, FT_TOKEN, FT_DATA, FT_READS, NO_COLOR, PATH, USER } = process.env;
  const directory = process.cwd();
  const repository = topOf(directory);
  const interactive = process.stdout.isTTY === true;
  const interactiveErrors = process.stderr.isTTY === true;
  const colours = set(NO_COLOR) === null;
  const data = set(FT_DATA);
  return {
    url: set(FT_URL),
    token: set(FT_TOKEN),
    data: data === null ? join(repository ?? directory, '.firetrident') : resolve(data),
    repository,
    directory,
    reads: set(FT_READS),
    path: PATH ?? '',
    user: set(USER) ?? 'person',
    interactive,
    interactiveErrors,
    colour: interactive && colours,
    colourErrors: interactiveErrors && colours,
  };
}

function set(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

function topOf(directory: string): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--show-toplevel'], {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // Not a repository, or no git: both mean that there is no repository around us.
    return null;
  }
}
