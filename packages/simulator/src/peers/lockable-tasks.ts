// Open tasks, oldest first, and which of those in sight nobody's lock is in the way of.
//
//   LT1. As many tasks are open as the options say: taking one opens the next of the stream.
//   LT2. Of those only the oldest `inSight` are looked at.
//   LT3. Taking costs O(log n + files): per task in sight there is a count of its files that are locked, not a scan.

import { Heap } from '@firetrident/base';
import type { Task, Workload } from '../workload/task.ts';

/** A task on offer. */
export type OpenTask = {
  readonly task: Task;
  readonly openedAtMs: number;
  /** Files of it that others hold (LT3). */
  locked: number;
  taken: boolean;
};

/** The tasks that can be taken, under exclusive locks of what they write. */
export class LockableTasks {
  readonly #workload: Workload;
  readonly #inSight: number;
  /** Open tasks out of sight, oldest first from `#first` on. */
  #beyond: OpenTask[] = [];
  #first = 0;
  readonly #sighted = new Map<number, OpenTask>();
  readonly #free = new Heap<OpenTask>((left, right) => left.task.id - right.task.id);
  readonly #byPath = new Map<number, Set<OpenTask>>();
  readonly #locks = new Set<number>();

  constructor(workload: Workload, openTasks: number, inSight: number) {
    this.#workload = workload;
    this.#inSight = inSight;
    for (let index = 0; index < openTasks; index += 1) this.#open(0);
  }

  /** The oldest task in sight of whose files none is locked; null when there is none. Its files are locked from now on. */
  take(atMs: number): OpenTask | null {
    for (;;) {
      const open = this.#free.pop();
      if (open === undefined) return null;
      if (open.taken || open.locked > 0) continue;
      open.taken = true;
      this.#leaveSight(open);
      for (const file of open.task.files) this.#lock(file.pathId);
      this.#open(atMs); // (LT1)
      return open;
    }
  }

  /** Gives the files of a task back. */
  release(task: Task): void {
    for (const { pathId } of task.files) {
      this.#locks.delete(pathId);
      for (const open of this.#byPath.get(pathId) ?? []) {
        open.locked -= 1;
        if (open.locked === 0) this.#free.push(open);
      }
    }
  }

  /** Every open task, in no particular order. */
  *open(): Iterable<OpenTask> {
    yield* this.#sighted.values();
    yield* this.#beyond.slice(this.#first);
  }

  #open(atMs: number): void {
    this.#beyond.push({ task: this.#workload.next(), openedAtMs: atMs, locked: 0, taken: false });
    while (this.#sighted.size < this.#inSight && this.#first < this.#beyond.length) {
      const open = this.#beyond[this.#first] as OpenTask;
      this.#first += 1;
      this.#enterSight(open);
    }
    if (this.#first > 4_096 && this.#first * 2 > this.#beyond.length) {
      this.#beyond = this.#beyond.slice(this.#first);
      this.#first = 0;
    }
  }

  #enterSight(open: OpenTask): void {
    this.#sighted.set(open.task.id, open);
    for (const { pathId } of open.task.files) {
      const others = this.#byPath.get(pathId);
      if (others === undefined) this.#byPath.set(pathId, new Set([open]));
      else others.add(open);
      if (this.#locks.has(pathId)) open.locked += 1;
    }
    if (open.locked === 0) this.#free.push(open);
  }

  #leaveSight(open: OpenTask): void {
    this.#sighted.delete(open.task.id);
    for (const { pathId } of open.task.files) {
      const others = this.#byPath.get(pathId);
      others?.delete(open);
      if (others?.size === 0) this.#byPath.delete(pathId);
    }
  }

  #lock(pathId: number): void {
    this.#locks.add(pathId);
    for (const open of this.#byPath.get(pathId) ?? []) open.locked += 1;
  }
}
