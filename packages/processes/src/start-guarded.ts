// A program in a process group of its own, which is guarded from before the program begins until it has ended.
//
//   SG1. No program runs before its group is guarded: its owner can be killed between the two. Where there can be no guard,
//        there is no program either.
//   SG2. When the program has ended, however it did, what it left running in its group is ended too.
//   SG3. No signal goes to a group that is over: its number may be another one's.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { endGroup } from './group-end.ts';
import { forgetGroup, guardGroup } from './group-guard.ts';

/** How a guarded program is started. */
export interface GuardedOptions {
  /** Where it works; this process's directory by default. */
  readonly directory?: string | undefined;
  /** Its whole environment; this process's by default. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** A program under way, with its group. */
export interface GuardedProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Ends the group at once. */
  stop(): void;
  /** Asks the group to end, so that it can tidy up, and ends it when it has not after this time, milliseconds. */
  stopSoon(graceMs: number): void;
}

// (SG1) The program begins only once its group is guarded: an owner that is killed before closes the gate, which ends it.
const gate = 'read -r go <&3 || exit 1; exec 3<&-; exec "$@"';

/**
 * Starts a program, found by name in the path of its environment. The group's number is that of the process. A program
 * that is not there ends with code 127, one that is none with 126, and error output that says so; one without a guard
 * with 1. A directory that is not there, and a machine
 * without room for another process, is an `error` of the process. Throws when no file can be opened any more.
 */
export function startGuarded(command: readonly string[], options: GuardedOptions = {}): GuardedProgram {
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
  let isOver = pid === undefined;
  let grace: NodeJS.Timeout | undefined;
  const send = (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!isOver) endGroup(pid as number, signal);
  };
  const stop = () => send('SIGKILL');
  child.once('exit', () => {
    stop(); // (SG2)
    isOver = true; // (SG3)
    clearTimeout(grace);
    if (pid !== undefined) forgetGroup(pid);
  });
  const stopSoon = (graceMs: number) => {
    send('SIGTERM');
    if (!isOver) grace ??= setTimeout(stop, graceMs);
  };
  return { child, stop, stopSoon };
}
