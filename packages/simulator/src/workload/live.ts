// The tasks of the live driver: each adds one small file to one of 64 folders, and nothing is read.
//
//   LV1. No two tasks write the same file, so that nothing but the writer and the agents bounds the landings.

import { assert, RandomStream } from '@firetrident/base';
import type { Task, TaskHunk, Workload } from './task.ts';

/** Folders `bench/r00` to `bench/r63`. */
const folderCount = 64;
/** Files of one run at most: numbers of paths are 32-bit. */
const fileCount = 2_000_000_000;
/** Two hundred bytes are a handful of lines. */
const hunks: readonly TaskHunk[] = [[0, 0, 1, 4]];

/** A stream of such tasks. `workMs` is what each takes, 0 as in the live driver or the time of a test that its agent runs. */
export function liveTasks(seed: number, workMs: number): Workload {
  const random = new RandomStream(seed);
  let drawn = 0;
  const next = (): Task => {
    const id = drawn;
    drawn += 1;
    assert(id < fileCount, 'a run has fewer files than numbers of paths');
    const path = `bench/r${String(random.below(folderCount)).padStart(2, '0')}/file-${id}.txt`; // (LV1)
    return {
      id,
      title: `file ${id}`,
      workMs,
      files: [{ path, pathId: id, status: 'A', hunks, symbols: null }],
      reads: [],
    };
  };
  return { pathCount: fileCount, next };
}
