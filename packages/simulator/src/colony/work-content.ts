// What an agent sends: its task as reads and writes of the core.

import { assert } from '@firetrident/base';
import type { Brief, ProposalContent, ResolvedRead, ResolvedWrite } from '@firetrident/core';
import type { Task, TaskFile } from '../workload/task.ts';
import { FileVersion } from './file-versions.ts';
import { type Ranges, rangesOf } from './hunks.ts';
import type { Trunk } from './trunk-facts.ts';
import type { Held } from './worker.ts';

const rangesByHunks = new WeakMap<TaskFile['hunks'], Ranges>();

/** Ranges of a task's file; tasks that come from one change share them. */
function sharedRanges(file: TaskFile): Ranges {
  let ranges = rangesByHunks.get(file.hunks);
  if (ranges === undefined) {
    ranges = rangesOf(file);
    rangesByHunks.set(file.hunks, ranges);
  }
  return ranges;
}

/** The reads of a task with what trunk shows now. */
export function readsOf(task: Task, trunk: Trunk, symbolReads: boolean, at: string): ResolvedRead[] {
  const reads: ResolvedRead[] = [];
  for (const { path, pathId, symbols } of task.reads) {
    const file = trunk.file(path, pathId);
    if (symbols === null || !symbolReads) {
      reads.push({ kind: 'file', path: file.path, at, basis: file.tip.oid });
      continue;
    }
    for (const symbol of symbols) {
      const basis = file.showingAtTip(symbol).oid;
      reads.push({ kind: 'symbol', path: file.path, symbol, signature: false, at, basis });
    }
  }
  return reads;
}

/** The versions that a task's changes will be made against. */
export function basesOf(task: Task, trunk: Trunk): FileVersion[] {
  return task.files.map(({ path, pathId }) => trunk.file(path, pathId).tip);
}

/** The whole change of a task, made against what the agent saw when it began. */
export function changeOf(held: Held, trunk: Trunk): ProposalContent {
  const { files } = held.open.task;
  const writes = files.map((file, index) => writeOf(file, held.bases[index], trunk));
  return { writes, reads: held.reads };
}

/** The writes of a return that conflicted, made again on the trunk that the brief shows. */
export function amendmentOf(held: Held, brief: Brief, trunk: Trunk): ProposalContent {
  const writes = brief.writes.map(({ path, tip }) => {
    const file = held.open.task.files.find((other) => other.path === path);
    assert(file !== undefined && tip instanceof FileVersion, `${path} is a file of the task`);
    return writeOf(file, tip, trunk);
  });
  return { writes, reads: [] };
}

function writeOf(file: TaskFile, base: FileVersion | undefined, trunk: Trunk): ResolvedWrite {
  assert(base !== undefined, `the base of ${file.path}`);
  const after = new FileVersion(trunk.nextOid(), sharedRanges(file), file.symbols);
  return { path: file.path, base, after };
}

/** The share of a task's files, read and written, that a brief names. */
export function movedShare(task: Task, brief: Brief): number {
  const moved = new Set<string>();
  for (const { read } of brief.reads) if ('path' in read) moved.add(read.path);
  for (const { path } of brief.writes) moved.add(path);
  return Math.min(1, moved.size / Math.max(1, task.files.length + task.reads.length));
}
