// A daemon for the duration of a command: the one that serves already, or one in this process.
//
// Invariants:
//   SV1. `daemon.json` names a daemon that serves: it is written when it does, and goes away before it stops. So one
//        that is there at a start was left by a daemon that was killed.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, ClientError } from '@firetrident/client';
import type { DaemonOptions, RunningDaemon, StartSurroundings } from '@firetrident/daemon';
import type { CliConfiguration } from './config.ts';
import { connect, daemonFile, dataDirectory, servingAddress } from './connection.ts';
import type { DaemonPlace } from './options.ts';

/** A daemon in this process that every other command finds through its data directory. */
export interface ServingDaemon {
  readonly daemon: RunningDaemon;
  /** The one before it on this data directory did not stop by itself. */
  readonly afterCrash: boolean;
  stop(): Promise<void>;
}

/** A daemon to speak to; `stop` ends it if it was started for this command. */
export interface UsedDaemon {
  readonly client: Client;
  /** Whether it was started for this command. */
  readonly own: boolean;
  stop(): Promise<void>;
}

/** Starts a daemon on a data directory and says there where it serves (SV1). Rejects with a StartError. */
export async function serve(
  options: DaemonOptions & { readonly data: string },
  surroundings: StartSurroundings = {},
): Promise<ServingDaemon> {
  // Loaded only here: most commands speak to a daemon and need not wait for the code of one.
  const { startDaemon } = await import('@firetrident/daemon');
  const daemon = await startDaemon(options, surroundings);
  const { data } = daemon.configuration;
  keepOutOfGit(data);
  const file = daemonFile(data);
  const afterCrash = existsSync(file);
  writeFileSync(file, `${JSON.stringify({ url: daemon.url, pid: daemon.processId })}\n`);
  return {
    daemon,
    afterCrash,
    async stop() {
      rmSync(file, { force: true });
      await daemon.stop();
    },
  };
}

/** The data usually lies within a repository, and holds a token and repositories: git there is to pass it over. */
function keepOutOfGit(data: string): void {
  const file = join(data, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
}

/** The daemon that was named or serves the data directory; when none answers there, one in this process. */
export async function useDaemon(configuration: CliConfiguration, place: DaemonPlace): Promise<UsedDaemon> {
  const data = dataDirectory(configuration, place);
  const named = place.url !== undefined || (place.data === undefined && configuration.url !== null);
  if (named || (await answers(data))) {
    return { client: connect(configuration, place), own: false, stop: async () => undefined };
  }
  const serving = await serve({ data, port: 0, logLevel: 'warn' });
  const { url, adminToken } = serving.daemon;
  return { client: new Client({ url, token: adminToken }), own: true, stop: () => serving.stop() };
}

async function answers(data: string): Promise<boolean> {
  const url = servingAddress(data);
  if (url === null) return false;
  try {
    await new Client({ url, token: '', attempts: 1 }).call('readHealth');
    return true;
  } catch (error) {
    // The file is what a daemon left that was killed.
    if (error instanceof ClientError && error.kind === 'unreachable') return false;
    throw error;
  }
}

/** Time in which a signal counts as the same one: Ctrl-C comes from the terminal and once more through npm. */
const repeatMs = 1_000;

/** Aborts at the first SIGINT or SIGTERM; one that comes later ends the process at once. `forget` stops listening. */
export function interruption(): { readonly signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const abort = () => {
    if (controller.signal.aborted) return;
    setTimeout(forget, repeatMs).unref();
    controller.abort();
  };
  const forget = () => {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
  };
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  return { signal: controller.signal, forget };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
