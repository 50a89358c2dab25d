// The daemon that a live benchmark puts its load on: that of FT_URL and FT_TOKEN, else one of its own.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LiveTarget } from '@firetrident/bench';
import { daemonAccess } from './connection.ts';
import type { CommandSettings } from './program.ts';

/** The entry of this command line, for a daemon in a process of its own. */
const entry = fileURLToPath(new URL('./main.mjs', import.meta.url));

/** The daemon; `data` names where one of its own keeps its data, which stays then. */
export async function benchTarget({ configuration }: CommandSettings, data: string | null): Promise<LiveTarget> {
  if (data === null && configuration.url !== null) {
    const { url, token } = daemonAccess(configuration, {});
    return { url, adminToken: token, stop: async () => undefined };
  }
  const { startOwnDaemon } = await import('@firetrident/bench');
  // With the flags of this process, which are those of every daemon that was started the usual way.
  const command = [process.execPath, ...process.execArgv, entry] as const;
  return startOwnDaemon({ command, data: data === null ? null : resolve(configuration.directory, data) });
}
