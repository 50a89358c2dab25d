// Changes that wait before another one in a queue, and what they do to it.
//
//   CA1. A change is judged against each change ahead of it as if both were made on the same text.

import { mapRanges, rangesOf } from '../colony/hunks.ts';
import type { Task, TaskFile, TaskRead } from '../workload/task.ts';

function touches(file: TaskFile, read: TaskRead): boolean {
  if (file.symbols === null || read.symbols === null) return true;
  const touched = file.symbols;
  return read.symbols.some((name) => (name === '*' ? touched.length > 0 : touched.includes(name)));
}

/** The changes ahead, in the order in which they were added. */
export class ChangesAhead {
  readonly #byPath = new Map<number, TaskFile[]>();

  add(task: Task): void {
    for (const file of task.files) {
      const files = this.#byPath.get(file.pathId);
      if (files === undefined) this.#byPath.set(file.pathId, [file]);
      else files.push(file);
    }
  }

  /** Whether the task's writes do not merge with those ahead (CA1). */
  conflictWith(task: Task): boolean {
    return task.files.some((file) => {
      const others = this.#byPath.get(file.pathId);
      return others?.some((other) => mapRanges(rangesOf(file), rangesOf(other)) === null) ?? false;
    });
  }

  /** Whether something that the task read is touched ahead. */
  moveReadsOf(task: Task): boolean {
    return task.reads.some((read) => this.#byPath.get(read.pathId)?.some((file) => touches(file, read)) ?? false);
  }
}
