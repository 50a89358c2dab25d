// A program in a process group of its own, which is guarded before the program begins.
//
//   SG1. No program runs before its group is guarded: its owner can be killed between the two.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { guardGroup } from './group-guard.ts';

/** How a guarded program is started. */
export interface GuardedOptions {
  /** Where it works; this process's directory by default. */
  readonly directory?: string | undefined;
  /** Its whole environment; this process's by default. */
  readonly environment?: NodeJS.ProcessEnv;
}

// (SG1) The program begins only once its group is guarded: an owner that is killed before closes the gate, which ends it.
const gate = 'read -r go <&3 || exit 1; exec 3<&-; exec "$@"';

/**
 * Starts a program, found by name in the path of its environment. The group's number is that of the process; whoever
 * starts it says when that is over, by `forgetGroup`. A program that is not there ends with code 127, one that is none
 * with 126, and error output that says so; only a directory that is not there is an `error` of the process.
 */
export function startGuarded(command: readonly string[], options: GuardedOptions = {}): ChildProcessWithoutNullStreams {
  const child = spawn('/bin/sh', ['-c', gate, 'sh', ...command], {
    cwd: options.directory,
    env: options.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessWithoutNullStreams;
  const { pid } = child;
  if (pid !== undefined) guardGroup(pid);
  const pipe = child.stdio[3] as unknown as Writable;
  // It may have ended, or have no directory to begin in.
  pipe.on('error', () => undefined);
  pipe.end('go\n');
  return child;
}
