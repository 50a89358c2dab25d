// What this package takes from the environment of the process.

import { env } from 'node:process';

/** The environment without the variables that git would obey. */
export function environmentWithoutGit(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.startsWith('GIT_')) kept[name] = value;
  }
  return kept;
}
