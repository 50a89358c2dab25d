// Tasks that are made up for a scenario: files with lines and exported names, written and read by a rule.
//
//   MT1. The same seed gives the same tasks.

import { assert, RandomStream } from '@firetrident/base';
import type { Task, TaskFile, TaskRead, Workload } from '../workload/task.ts';
import { drawWorkMs } from '../workload/work-time.ts';

/** Lines of a made-up file that are far enough apart to be changed side by side. */
const places = 50;
/** Names that a made-up file exports. */
const names = 10;

/** A task before it has a number. */
export type MadeUp = Pick<Task, 'workMs' | 'files' | 'reads'>;

/** Makes tasks up, with chance of its own. */
export class Maker {
  readonly random: RandomStream;
  readonly #pathIds = new Map<string, number>();
  readonly #pathsAtMost: number;

  constructor(seed: number, pathsAtMost: number) {
    this.random = new RandomStream(seed);
    this.#pathsAtMost = pathsAtMost;
  }

  /** A change of one place in a file, which touches one of its names. */
  change(path: string): TaskFile {
    const place = this.random.below(places);
    const line = place * 4 + 1;
    const symbols = [`name${place % names}`];
    return { path, pathId: this.#idOf(path), status: 'M', hunks: [[line, 1, line, 1]], symbols };
  }

  /** A reading of one name of a file. */
  reading(path: string): TaskRead {
    return { path, pathId: this.#idOf(path), symbols: [`name${this.random.below(names)}`] };
  }

  /** Work with this median. */
  workMs(medianMs: number): number {
    return drawWorkMs(this.random, { medianMs, spread: 0.6 });
  }

  /** The stream of what `make` makes, numbered. */
  stream(make: (number: number) => MadeUp): Workload {
    let id = 0;
    const next = (): Task => {
      const task = { id, title: `task ${id}`, ...make(id) };
      id += 1;
      return task;
    };
    return { pathCount: this.#pathsAtMost, next };
  }

  #idOf(path: string): number {
    const known = this.#pathIds.get(path);
    if (known !== undefined) return known;
    const id = this.#pathIds.size;
    assert(id < this.#pathsAtMost, `no more than ${this.#pathsAtMost} paths`);
    this.#pathIds.set(path, id);
    return id;
  }
}

/** A path of a wide repository: 20 files in each of so many folders. */
export function widePath(random: RandomStream, folders: number): string {
  const folder = random.below(folders);
  return `part-${folder % 10}/folder-${folder}/file-${random.below(20)}.ts`;
}

/** A task somewhere in a wide repository: two files written, three names read. */
export function wideTask(maker: Maker, folders: number, medianMs = 60_000): MadeUp {
  const { random } = maker;
  const paths = new Set<string>();
  while (paths.size < 5) paths.add(widePath(random, folders));
  const [first, second, ...others] = [...paths] as [string, string, ...string[]];
  return {
    workMs: maker.workMs(medianMs),
    files: [maker.change(first), maker.change(second)],
    reads: others.map((path) => maker.reading(path)),
  };
}
