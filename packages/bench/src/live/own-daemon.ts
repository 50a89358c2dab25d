// A daemon of the run's own: a process beside it on a data directory that goes with it.
//
//   OD1. It is stopped as a person would stop it, and its directory is removed unless it is to stay.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A daemon to put load on. */
export interface LiveTarget {
  readonly url: string;
  readonly adminToken: string;
  /** Ends what was started for the run; what was there before stays. */
  stop(): Promise<void>;
}

/** How a daemon of the run's own is started. */
export interface OwnDaemonSettings {
  /** Program and first arguments that start the command line. */
  readonly command: readonly [string, ...string[]];
  /** Where its data lies; null for a directory that is removed afterwards. */
  readonly data: string | null;
}

/** Starts a daemon and waits until it serves. Rejects with what it said when it does not. */
export async function startOwnDaemon(settings: OwnDaemonSettings): Promise<LiveTarget> {
  const [program, ...before] = settings.command;
  const data = settings.data ?? mkdtempSync(join(tmpdir(), 'firetrident-bench-'));
  const remove = () => {
    if (settings.data === null) rmSync(data, { recursive: true, force: true });
  };
  const child = spawn(program, [...before, 'up', '--data', data, '--port', '0', '--json', '--log-level', 'warn'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, adminToken } = JSON.parse(line) as { url: string; adminToken: string };
    return {
      url,
      adminToken,
      async stop() {
        child.kill('SIGTERM');
        await ended;
        remove(); // (OD1)
      },
    };
  }
  await ended;
  remove();
  throw new Error(`the daemon of the run ended with code ${child.exitCode} before it served`);
}
