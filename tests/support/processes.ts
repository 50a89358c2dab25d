// What runs on this machine, as tests ask for it.

import { execFileSync } from 'node:child_process';
import { until } from './until.ts';

/** Whether there is a process with this number, or a group with it when it is negative. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process: that is what is asked.
    return false;
  }
}

/** Waits until a process is gone. */
export function gone(pid: number): Promise<void> {
  return until(() => !isAlive(pid));
}

/** Whether a process runs that has these words among its arguments. */
export function isRunning(words: string): boolean {
  return execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).includes(words);
}
