// A program in a process group of its own, which is guarded before the program begins.
//
//   SG1. No program runs before its group is guarded: its owner can be killed between the two. Where there can be no guard,
//        there is no program either.

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
 * with 126, and error output that says so; one without a guard with 1. A directory that is not there, and a machine
 * without room for another process, is an `error` of the process. Throws when no file can be opened any more.
 */
export function startGuarded(command: readonly string[], options: GuardedOptions = {}): ChildProcessWithoutNullStreams {
  const child = spawn('/bin/sh', ['-c', gate, 'sh', ...command], {
    cwd: options.directory,
    env: options.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessWithoutNullStreams;
  const { pid, stdio } = child;
  if (stdio === undefined) {
    child.on('error', () => undefined);
    throw new Error(`${command[0]} cannot be started: too many files are open`);
  }
  const pipe = stdio[3] as unknown as Writable;
  // It may have ended, or have no directory to begin in.
  pipe.on('error', () => undefined);
  // (SG1)
  if (pid !== undefined && guardGroup(pid)) pipe.end('go\n');
  else pipe.destroy();
  return child;
}
