// A git process whose ends the caller holds: for what streams, such as serving a fetch, and for what takes long.
//
// It never knows what git is asked to do.
//
// Invariants:
//   GP1. A process that is stopped or has ended takes everything along that it started and that stayed in its group.
//   GP2. No process outlives the thread that started it, however that ends.

import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { startGuarded } from '@firetrident/processes';
import { environmentWithoutGit } from './config.ts';

/** What every git process of ours sees, beside the environment without git's variables. */
const fixedEnvironment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
} as const;

/** What the shell before it ends with when the program is not there, or is none. */
const notBegun: readonly (number | null)[] = [126, 127];
/** Bytes of error output that are kept. */
const errorBytesMax = 65_536;
/** How long a process that is asked to end may take to end by itself, milliseconds. */
const politeMs = 2_000;

/** How a git process is run. */
export interface GitProcessOptions {
  /** The program; "git" from the path by default. */
  readonly program?: string;
  /** Where it works; this process's directory by default. */
  readonly directory?: string | undefined;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How far it steps back behind other processes, 0 (not at all) to 19. */
  readonly niceness?: number;
}

/** How a git process ended: with a code, or by a signal. */
export interface GitEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of its error output. */
  readonly problem: string;
}

/** A git process under way. */
export interface GitProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when it ended and its output is closed; rejects when it could not begin: no program, or no directory. */
  readonly ended: Promise<GitEnd>;
  /** Ends it and what it started at once (GP1). */
  stop(): void;
  /** Asks it and what it started to end, so that it can remove what it has locked; stops it when it does not (GP1). */
  stopSoon(): void;
}

/** Starts git with these arguments, without hooks and without prompting. */
export function startGit(args: readonly string[], options: GitProcessOptions = {}): GitProcess {
  // (GP1) (GP2)
  const { child, stop, stopSoon } = startGuarded(
    [options.program ?? 'git', '-c', 'core.hooksPath=/dev/null', ...args],
    {
      directory: options.directory,
      environment: { ...environmentWithoutGit(), ...fixedEnvironment, ...options.environment },
    },
  );
  if (child.pid !== undefined && options.niceness !== undefined) stepBack(child.pid, options.niceness);
  const errors: Buffer[] = [];
  let errorBytes = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    if (errorBytes < errorBytesMax) errors.push(chunk.subarray(0, errorBytesMax - errorBytes));
    errorBytes += chunk.length;
  });
  // git may end without reading all of its input; its exit status says why.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<GitEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const problem = Buffer.concat(errors).toString('utf8');
      if (notBegun.includes(code)) reject(new Error(`git cannot be started: ${problem.trim()}`));
      else resolve({ code, signal, problem });
    });
  });
  return { input: child.stdin, output: child.stdout, ended, stop, stopSoon: () => stopSoon(politeMs) };
}

function stepBack(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch (error) {
    // It may be over already, which is as good.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
}
