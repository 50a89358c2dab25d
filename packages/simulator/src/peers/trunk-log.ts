// Trunk as the peers see it: which landing touched a file, a name or a range last.
//
//   TL1. A landing has a number, from 1; a base is the number of the last landing that its agent had seen.
//   TL2. Ranges of a file are kept for a bounded number of landings; a change with an older base conflicts.

import { mapRanges, type Ranges, rangesOf } from '../colony/hunks.ts';
import type { Task, TaskFile, TaskRead } from '../workload/task.ts';

/** Landings of one file whose ranges are kept (TL2). */
const rangesAtMost = 256;

type FileLog = {
  /** Numbers of the landings, ascending, and what each changed; the oldest are dropped. */
  numbers: number[];
  ranges: Ranges[];
  dropped: boolean;
  /** The last landing of which nobody knows what it touched, and the last that touched a name at all. */
  unknown: number;
  any: number;
  byName: Map<string, number>;
};

/** The landings of one run. */
export class TrunkLog {
  readonly #files = new Map<number, FileLog>();
  #tip = 0;

  /** Number of the last landing (TL1). */
  get tip(): number {
    return this.#tip;
  }

  /** A task lands on the tip. */
  land(task: Task): void {
    this.#tip += 1;
    for (const file of task.files) this.#landFile(file, this.#tip);
  }

  /** Whether any landing after `base` wrote the file. */
  fileMoved(pathId: number, base: number): boolean {
    return (this.#files.get(pathId)?.numbers.at(-1) ?? 0) > base;
  }

  /** Whether a landing after `base` touched one of the names that were read. */
  readMoved(read: TaskRead, base: number): boolean {
    const file = this.#files.get(read.pathId);
    if (file === undefined || (file.numbers.at(-1) ?? 0) <= base) return false;
    if (file.unknown > base || read.symbols === null) return true;
    return read.symbols.some((name) => (name === '*' ? file.any : (file.byName.get(name) ?? 0)) > base);
  }

  /** Whether the change of a file made on `base` no longer merges with the tip. */
  conflicts(file: TaskFile, base: number): boolean {
    const log = this.#files.get(file.pathId);
    if (log === undefined || (log.numbers.at(-1) ?? 0) <= base) return false;
    if (log.dropped && (log.numbers[0] ?? 0) > base) return true;
    let moved: Ranges | null = rangesOf(file);
    let at = log.numbers.length;
    while (at > 0 && (log.numbers[at - 1] ?? 0) > base) at -= 1;
    for (; at < log.ranges.length && moved !== null; at += 1) moved = mapRanges(moved, log.ranges[at] as Ranges);
    return moved === null;
  }

  #landFile(file: TaskFile, number: number): void {
    let log = this.#files.get(file.pathId);
    if (log === undefined) {
      log = { numbers: [], ranges: [], dropped: false, unknown: 0, any: 0, byName: new Map() };
      this.#files.set(file.pathId, log);
    }
    log.numbers.push(number);
    log.ranges.push(rangesOf(file));
    if (log.numbers.length > 2 * rangesAtMost) {
      log.numbers.splice(0, rangesAtMost);
      log.ranges.splice(0, rangesAtMost);
      log.dropped = true;
    }
    if (file.symbols === null) log.unknown = number;
    else {
      if (file.symbols.length > 0) log.any = number;
      for (const name of file.symbols) log.byName.set(name, number);
    }
  }
}
