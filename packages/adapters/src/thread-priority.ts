// How the threads of this process stand to each other where there are fewer processors than threads with work.
//
//   TP1. Only Linux knows a priority for each thread. Elsewhere nothing happens.
//   TP2. A thread that another one starts begins with the priority of that one.
//   TP3. Steps are counted from the main thread: a process that was started with `nice` keeps its distance, and nobody steps forward.

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import process from 'node:process';

/**
 * Steps behind the main thread, as `nice` counts them. The runtime's helpers stay close: at the end of a collection the main thread waits
 * for what they have begun.
 */
export const behindMain = { trunk: 5, runtime: 2, joining: 10 } as const;

const ownThread = '/proc/thread-self';
const ownThreads = '/proc/self/task';
/** What the runtime calls its helpers, which collect garbage and compile beside the threads that run scripts. */
const runtimeThread = 'V8Worker';

/** Steps back with the thread that calls this (TP1, TP2). */
export function stepThreadBack(steps: number): void {
  if (existsSync(ownThread)) stepBack(Number(readlinkSync(ownThread).split('/').at(-1)), steps);
}

/** Steps back with the runtime's helpers, which it starts before any script runs (TP1). */
export function stepRuntimeBack(steps: number): void {
  if (!existsSync(ownThreads)) return;
  for (const thread of readdirSync(ownThreads)) if (isRuntimes(thread)) stepBack(Number(thread), steps);
}

function isRuntimes(thread: string): boolean {
  try {
    return readFileSync(`${ownThreads}/${thread}/comm`, 'utf8').trim() === runtimeThread;
  } catch {
    // It has ended.
    return false;
  }
}

/** (TP3) */
function stepBack(thread: number, steps: number): void {
  try {
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(process.pid) + steps));
  } catch {
    // A machine that forbids it, or a helper that is gone: the work is done all the same.
  }
}
