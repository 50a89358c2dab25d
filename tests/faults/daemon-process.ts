// A daemon as a process of its own, started as a user starts it, to be killed at any moment.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));

/** What a fresh start found, from the daemon's own log. */
export interface Recovered {
  readonly queued: number;
  readonly cycle: boolean;
}

export interface DaemonProcess {
  readonly url: string;
  readonly adminToken: string;
  readonly processId: number;
  /** What each colony recovered; empty for a new data directory. */
  readonly recovered: readonly Recovered[];
  /** Lines of standard error so far. */
  readonly log: readonly string[];
  /** Resolves when the process ends, with its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** kill -9, and wait until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
}

export interface DaemonProcessOptions {
  /** Program to run instead of the command line's entry: fault tests start one that composes faults. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a daemon on a data directory and waits until it serves; rejects with its log when it ends instead. */
export async function startDaemonProcess(data: string, options: DaemonProcessOptions = {}): Promise<DaemonProcess> {
  const args = [options.program ?? entry, 'up', '--data', data, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const first = await firstLine(child, exited, log);
  const { url, adminToken, pid } = JSON.parse(first) as { url: string; adminToken: string; pid: number };
  return {
    url,
    adminToken,
    processId: pid,
    recovered: log.flatMap(recoveredOf),
    log,
    ended: exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function firstLine(child: ChildProcess, exited: Promise<number | null>, log: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('the daemon has standard output');
    createInterface({ input: child.stdout }).once('line', resolve);
    exited.then((code) => reject(new Error(`the daemon ended with ${code}:\n${log.join('\n')}`)));
  });
}

function recoveredOf(line: string): Recovered[] {
  if (!line.startsWith('{')) return [];
  const entry = JSON.parse(line) as { msg?: string; queued?: number; cycle?: boolean };
  return entry.msg === 'colony recovered' ? [{ queued: entry.queued ?? 0, cycle: entry.cycle ?? false }] : [];
}
