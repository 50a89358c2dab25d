// Peer: exclusive locks on every file that a task writes, taken before the work begins and held until it has landed.
//
//   LK1. Nothing that a holder writes is written by anybody else, so its writes never conflict.
//   LK2. Reads are not locked. A landing that touched something that the task read makes its agent redo half of the work, or the
//        share that the options ask for if that is more, on the trunk of now.

import type { PolicyRun } from '../policy.ts';
import { type Attempt, runCrew } from './crew-run.ts';
import { LockableTasks } from './lockable-tasks.ts';
import { TrunkLog } from './trunk-log.ts';

/** Least share of the work that is redone after a failed read (LK2). */
const leastRedone = 0.5;

interface Holding extends Attempt {
  base: number;
}

/** Locks whose agents look at the oldest `inSight` open tasks; Infinity for every open task. */
export function locksOver(inSight: number): PolicyRun {
  return (options) => {
    const log = new TrunkLog();
    const tasks = new LockableTasks(options.workload, options.openTasks, inSight);
    const redone = Math.max(leastRedone, options.redoShare);
    return runCrew<Holding>(options, {
      take: (nowMs) => {
        const open = tasks.take(nowMs);
        return open === null ? null : { task: open.task, openedAtMs: open.openedAtMs, base: log.tip };
      },
      propose: (holding) => {
        const { task, base } = holding;
        if (task.reads.some((read) => log.readMoved(read, base))) {
          holding.base = log.tip;
          return task.workMs * redone; // (LK2)
        }
        log.land(task); // Its writes are its own (LK1).
        return null;
      },
      landed: ({ task }) => tasks.release(task),
      end: (tally, durationMs) => {
        for (const open of tasks.open()) tally.waited(durationMs, open.openedAtMs);
      },
    });
  };
}
