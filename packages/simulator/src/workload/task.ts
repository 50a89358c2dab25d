// What simulated agents work on: tasks with what they write, what they read and how long the work takes.
//
//   TK1. Everything random about a task is drawn once, with the task: every policy is given the same tasks and the same work.

/** One changed range: first line and count before, first line and count after, as `git diff -U0` counts them. */
export type TaskHunk = readonly [oldStart: number, oldLines: number, newStart: number, newLines: number];

/** What a task does to a file: adds, modifies or deletes it, or changes its type. A rename is a delete and an add. */
export type TaskFileStatus = 'A' | 'M' | 'D' | 'T';

/** A file that a task writes. */
export type TaskFile = {
  readonly path: string;
  /** Number of the path in its workload: equal paths have equal numbers, counted from 0. */
  readonly pathId: number;
  readonly status: TaskFileStatus;
  readonly hunks: readonly TaskHunk[];
  /** Exported names that the change touches, sorted; null when unknown, which counts as every name. */
  readonly symbols: readonly string[] | null;
};

/** A file that a task read without writing it. */
export type TaskRead = {
  readonly path: string;
  /** Number of the path, as in `TaskFile`. */
  readonly pathId: number;
  /** Exported names that were read, sorted; null when unknown, which counts as the whole file. */
  readonly symbols: readonly string[] | null;
};

/** A piece of work. */
export type Task = {
  /** Position in its stream, from 0. */
  readonly id: number;
  readonly title: string;
  /** Working time of an agent that is never disturbed, in milliseconds (TK1). */
  readonly workMs: number;
  readonly files: readonly TaskFile[];
  readonly reads: readonly TaskRead[];
};

/** A seeded stream of tasks without end. The same seed gives the same tasks in the same order. */
export type Workload = {
  /** How many numbers paths can have: every `pathId` is below it. */
  readonly pathCount: number;
  next(): Task;
};
