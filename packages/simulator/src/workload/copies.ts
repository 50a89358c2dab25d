// Tasks from a repository's history, as if many copies of the repository lay side by side in one.
//
//   CO1. Copies share no path: the tasks of one never disturb those of another.
//   CO2. Commits, copies and work times are drawn from streams of their own.

import { assert, RandomStream } from '@firetrident/base';
import type { HistoryCommit } from './history.ts';
import type { Task, TaskFile, TaskFileStatus, TaskHunk, TaskRead, Workload } from './task.ts';
import { drawWorkMs, usualWorkTime, type WorkTime } from './work-time.ts';

/** How a history becomes a workload. */
export type CopiesOptions = {
  readonly history: readonly HistoryCommit[];
  readonly seed: number;
  /** Copies of the repository, each in a folder of its own; 100 unless given. */
  readonly copies?: number;
  readonly work?: WorkTime;
};

/** A commit with its paths as numbers within one copy. */
type Shape = {
  readonly title: string;
  readonly files: readonly {
    readonly index: number;
    readonly status: TaskFileStatus;
    readonly hunks: readonly TaskHunk[];
    readonly symbols: readonly string[] | null;
  }[];
  readonly reads: readonly { readonly index: number; readonly symbols: readonly string[] | null }[];
};

class Copies implements Workload {
  readonly pathCount: number;
  readonly #paths: readonly string[];
  readonly #shapes: readonly Shape[];
  readonly #copies: number;
  readonly #work: WorkTime;
  readonly #draws: RandomStream;
  readonly #times: RandomStream;
  /** Full paths by number, made when first drawn: equal paths are one string. */
  readonly #texts: (string | undefined)[];
  #drawn = 0;

  constructor(options: CopiesOptions) {
    const numbers = new Map<string, number>();
    const indexOf = (path: string) => {
      const known = numbers.get(path) ?? numbers.size;
      numbers.set(path, known);
      return known;
    };
    this.#shapes = options.history.map((commit) => ({
      title: commit.id.slice(0, 12),
      files: commit.files.map(({ path, ...file }) => ({ ...file, index: indexOf(path) })),
      reads: commit.reads.map(({ path, symbols }) => ({ symbols, index: indexOf(path) })),
    }));
    this.#paths = [...numbers.keys()];
    this.#copies = options.copies ?? 100;
    this.#work = options.work ?? usualWorkTime;
    assert(this.#copies >= 1 && this.#shapes.length > 0, 'a workload has a copy of a history');
    this.pathCount = this.#copies * this.#paths.length;
    this.#texts = new Array(this.pathCount);
    this.#draws = new RandomStream(options.seed);
    // Another stream than that of the draws, for every seed (CO2).
    this.#times = new RandomStream(options.seed ^ 0x5bd1e995);
  }

  next(): Task {
    const copy = this.#draws.below(this.#copies);
    const shape = this.#draws.pick(this.#shapes);
    const workMs = drawWorkMs(this.#times, this.#work);
    const first = copy * this.#paths.length;
    const files: TaskFile[] = [];
    for (const { index, status, hunks, symbols } of shape.files) {
      files.push({ path: this.#pathOf(copy, index), pathId: first + index, status, hunks, symbols });
    }
    const reads: TaskRead[] = [];
    for (const { index, symbols } of shape.reads) {
      reads.push({ path: this.#pathOf(copy, index), pathId: first + index, symbols });
    }
    const id = this.#drawn;
    this.#drawn += 1;
    return { id, title: `${shape.title} in copy ${copy}`, workMs, files, reads };
  }

  #pathOf(copy: number, index: number): string {
    const number = copy * this.#paths.length + index;
    const known = this.#texts[number];
    if (known !== undefined) return known;
    // One folder above each path (CO1).
    const text = `copy-${String(copy).padStart(3, '0')}/${this.#paths[index]}`;
    this.#texts[number] = text;
    return text;
  }
}

/** A stream of tasks drawn evenly from the commits of a history and from its copies. The history is not empty. */
export function copiesOf(options: CopiesOptions): Workload {
  return new Copies(options);
}
