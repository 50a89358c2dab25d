// What an agent sends: its task as reads and writes of the core.

import { assert, defined } from '@firetrident/base';
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

/** What an agent sends again after a return: null when the brief says it all and nothing is to be written again. */
export function amendmentOf(held: Held, trunk: Trunk): ProposalContent | null {
  if (held.rewritten.size + held.reread.size === 0) return null;
  const { files } = held.open.task;
  return {
    writes: [...held.rewritten].map((index) => {
      return writeOf(defined(files[index], 'a file of the task'), held.bases[index], trunk);
    }),
    reads: [...held.reread].map((index) => defined(held.reads[index], 'a read of the task')),
  };
}

/** The agent takes over what a brief shows: its reads rest on it, and conflicting files are changed from there. */
export function acceptBrief(held: Held, brief: Brief): void {
  held.rewritten.clear();
  held.reread.clear();
  const { files } = held.open.task;
  for (const { read: stale, now } of brief.reads) {
    const index = held.reads.findIndex((read) => isSameThing(read, stale));
    const read = held.reads[index];
    if (read !== undefined) held.reads[index] = { ...read, basis: now ?? '' } as ResolvedRead;
  }
  for (const { path, tip } of brief.writes) {
    const index = files.findIndex((file) => file.path === path);
    assert(index >= 0 && tip instanceof FileVersion, `${path} is a file of the task`);
    held.bases[index] = tip;
    held.rewritten.add(index);
  }
}

/**
 * The agent looks again at what a heads-up names, or at everything (null): what moved it takes over from the tip. Gives the units of its
 * footprint that moved: reads that show something else, and the ranges of files where its change would conflict.
 */
export function lookAgain(held: Held, paths: ReadonlySet<string> | null, trunk: Trunk): number {
  let moved = 0;
  for (const [index, read] of held.reads.entries()) {
    if (!('path' in read) || paths?.has(read.path) === false) continue;
    const shown = trunk.shownAtTip(read).oid;
    if (shown === read.basis) continue;
    moved += 1;
    held.reads[index] = { ...read, basis: shown } as ResolvedRead;
    held.reread.add(index);
  }
  for (const [index, base] of held.bases.entries()) {
    const file = defined(held.open.task.files[index], 'a file of the task');
    if (paths?.has(file.path) === false) continue;
    const trunkFile = trunk.at(file.path);
    const { tip } = trunkFile;
    if (base === tip || trunkFile.mapped(sharedRanges(file), base, tip) !== null) continue;
    moved += rangeCount(file);
    held.bases[index] = tip;
    held.rewritten.add(index);
  }
  return moved;
}

function isSameThing(left: ResolvedRead, right: ResolvedRead): boolean {
  if (left.kind !== right.kind || !('path' in left) || !('path' in right) || left.path !== right.path) return false;
  return left.kind !== 'symbol' || right.kind !== 'symbol' || left.symbol === right.symbol;
}

function writeOf(file: TaskFile, base: FileVersion | undefined, trunk: Trunk): ResolvedWrite {
  assert(base !== undefined, `the base of ${file.path}`);
  const after = new FileVersion(trunk.nextOid(), sharedRanges(file), file.symbols);
  return { path: file.path, base, after };
}

/** Units of what an agent works on: names and whole files that it read, ranges of lines that it changes. */
export function footprintOf({ open, reads }: Held): number {
  return open.task.files.reduce((units, file) => units + rangeCount(file), Math.max(1, reads.length));
}

/** Units that a brief names: each read, and every range of a file that conflicts. */
export function movedIn(brief: Brief, { open }: Held): number {
  const conflicting = new Set(brief.writes.map(({ path }) => path));
  return open.task.files.reduce(
    (units, file) => units + (conflicting.has(file.path) ? rangeCount(file) : 0),
    brief.reads.length,
  );
}

function rangeCount(file: TaskFile): number {
  return sharedRanges(file).length / 3;
}
