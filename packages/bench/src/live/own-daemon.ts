// A daemon of the run's own: a process beside it on a data directory that goes with it.
//
//   OD1. It is stopped as a person would stop it, and its directory is removed unless it is to stay; also when the run is
//        told to end by Ctrl-C or SIGTERM. A command that listens for these ends its run itself.
//   OD2. It never outlives the run, also after kill -9 of the run.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startGuarded } from '@firetrident/processes';

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
  const serve = ['up', '--data', data, '--port', '0', '--json', '--log-level', 'warn'];
  // (OD2) In a group of its own: a terminal's Ctrl-C reaches the run alone, which stops it (OD1).
  const { child } = startGuarded([program, ...before, ...serve]);
  child.stdin.end();
  child.stderr.pipe(process.stderr);
  const ended = once(child, 'exit');
  const stop = async () => {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    child.kill('SIGTERM');
    await ended;
    remove(); // (OD1)
  };
  const interrupted = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return; // (OD1)
    // Then nothing listens any more, so that the signal ends this process as if nothing had listened.
    stop().finally(() => process.kill(process.pid, signal));
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, adminToken } = JSON.parse(line) as { url: string; adminToken: string };
    return { url, adminToken, stop };
  }
  await stop();
  throw new Error(`the daemon of the run ended with code ${child.exitCode} before it served`);
}
