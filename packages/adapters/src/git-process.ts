// A git process whose ends the caller holds: for what streams, such as serving a fetch.
//
// It never knows what git is asked to do.
//
// Invariants:
//   GP1. A process that is stopped is stopped with everything that it started.

import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { environmentWithoutGit } from './config.ts';

/** What every git process of ours sees, beside the environment without git's variables. */
export const fixedEnvironment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
} as const;

/** Bytes of error output that are kept. */
const errorBytesMax = 8_192;

/** How a streaming git process is run. */
export interface GitProcessOptions {
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How far it steps back behind other processes, 0 (not at all) to 19. */
  readonly niceness?: number;
}

/** How a streaming git process ended; `code` is null when a signal ended it. */
export interface GitEnd {
  readonly code: number | null;
  /** The beginning of its error output. */
  readonly problem: string;
}

/** A git process under way. */
export interface GitProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when it ended and its output is closed; rejects when it could not be started. */
  readonly ended: Promise<GitEnd>;
  /** Ends it and what it started (GP1); at once, unless a signal is named that lets it tidy up. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): void;
}

/** Starts git with these arguments, without hooks and without prompting. */
export function startGit(args: readonly string[], options: GitProcessOptions = {}): GitProcess {
  const child = spawn('git', ['-c', 'core.hooksPath=/dev/null', ...args], {
    env: { ...environmentWithoutGit(), ...fixedEnvironment, ...options.environment },
    stdio: 'pipe',
    // A group of its own, which can be stopped as a whole (GP1).
    detached: true,
  });
  if (options.niceness !== undefined) stepBack(child, options.niceness);
  let problem = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (problem.length < errorBytesMax) problem += chunk.toString('utf8').slice(0, errorBytesMax - problem.length);
  });
  // git may end without reading all of its input; its exit status says why.
  child.stdin.on('error', () => undefined);
  let isOver = false;
  const ended = new Promise<GitEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      isOver = true;
      resolve({ code, problem });
    });
  });
  // The number of a group that is over may be another one's by now.
  const stop: GitProcess['stop'] = (signal = 'SIGKILL') => {
    if (!isOver) stopGroup(child, signal);
  };
  return { input: child.stdin, output: child.stdout, ended, stop };
}

function stepBack(child: ChildProcess, niceness: number): void {
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, niceness);
  } catch (error) {
    // It may be over already, which is as good.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
}

function stopGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
