// What this package takes from the environment of the process.

import { env } from 'node:process';
import { isAllocatorSetting } from '@firetrident/base';

/** The environment without the variables that git would obey, and without what is for the daemon's own memory. */
export function environmentWithoutGit(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.startsWith('GIT_') && !isAllocatorSetting(name, value)) kept[name] = value;
  }
  return kept;
}
