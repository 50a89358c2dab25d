// Where a push lies until it is judged: a folder of its own, beside the colonies and never inside trunk's repository.
//
//   QU1. Nothing of a push reaches trunk's repository from here: what is proposed goes with the proposal, as with every
//        other one.
//   QU2. The folder goes when the push is over, however it ends; what a killed daemon left is cleared at the next start.

import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of all quarantines in a data directory. */
function quarantineRoot(data: string): string {
  return join(data, 'pushes');
}

/** Removes what pushes left that a kill cut off (QU2). */
export function clearQuarantines(data: string): void {
  rmSync(quarantineRoot(data), { recursive: true, force: true });
}

/** The place of one push. */
export class Quarantine {
  /** File that the pack arrives in. */
  readonly packFile: string;
  readonly #directory: string;

  constructor(data: string) {
    this.#directory = join(quarantineRoot(data), randomUUID());
    mkdirSync(join(this.#directory, 'objects', 'pack'), { recursive: true });
    this.packFile = join(this.#directory, 'incoming.pack');
  }

  /** What makes git see the pushed objects over those of a repository, and write here only (QU1). */
  environment(repository: string): Record<string, string> {
    return {
      GIT_OBJECT_DIRECTORY: join(this.#directory, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository, 'objects'),
    };
  }

  /** Removes everything (QU2). */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
