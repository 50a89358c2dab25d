// What agents take from their process: the environment that programs inherit. Read here and nowhere else.

import { isAllocatorSetting } from '@firetrident/base';

/** Variables that would lead git to another repository than the one of its directory. */
const redirecting = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE']);

/** The environment of this process without what is for the daemon's own memory. */
function inherited(): [string, string | undefined][] {
  return Object.entries(process.env).filter(([name, value]) => !isAllocatorSetting(name, value));
}

/** The environment for commands of agents: that of this process without the administrator's token and git's redirections. */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const kept = inherited().filter(([name]) => name !== 'FT_TOKEN' && !redirecting.has(name));
  return Object.fromEntries(kept);
}

/** The environment for git: that of this process without anything that changes which repository, or asks a person. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = inherited().filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
}
