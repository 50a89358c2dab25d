// Where a push lies until it is judged: a folder of its own, beside the colonies and never inside trunk's repository.
//
//   QU1. Nothing of a push reaches trunk's repository from here: what is proposed goes with the proposal, as with every
//        other one.
//   QU2. The folder goes when the push is over, however it ends; what a killed daemon left is cleared at the next start.
//   QU3. The packs of all pushes together are bounded; a push that finds no room is told so.

import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BodyBudget } from '../body.ts';

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
  readonly #packs: BodyBudget;
  #held = 0;

  /** `packs` is the room for the packs of all pushes (QU3). */
  constructor(data: string, packs: BodyBudget) {
    this.#packs = packs;
    this.#directory = join(quarantineRoot(data), randomUUID());
    mkdirSync(join(this.#directory, 'objects', 'pack'), { recursive: true });
    this.packFile = join(this.#directory, 'incoming.pack');
  }

  /** Writes the pack as it arrives. Null once it is there whole, or why it is not, in a sentence for the client. */
  async fill(chunks: AsyncIterable<Buffer>, bytesMax: number): Promise<string | null> {
    let bytes = 0;
    let problem: string | null = null;
    const take = (length: number): string | null => {
      if (bytes > bytesMax) return `a push has ${bytesMax} bytes at most`;
      if (!this.#packs.hold(length))
        return 'too many bytes of pushes are being received at once; push again in a moment'; // (QU3)
      this.#held += length;
      return null;
    };
    const bounded = async function* () {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        problem ??= take(chunk.length);
        // The rest is read and dropped, so that the client hears why.
        if (problem === null) yield chunk;
        else if (bytes > bytesMax * 2) return;
      }
    };
    await pipeline(Readable.from(bounded()), createWriteStream(this.packFile));
    return problem;
  }

  /** Removes the pack as it arrived, once git has indexed a copy. */
  dropPack(): void {
    rmSync(this.packFile, { force: true });
  }

  /** What makes git see the pushed objects over those of a repository, and write here only (QU1). */
  environment(repository: string): Record<string, string> {
    return {
      GIT_OBJECT_DIRECTORY: join(this.#directory, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(repository, 'objects')),
    };
  }

  /** Removes everything (QU2). */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
    this.#packs.release(this.#held);
    this.#held = 0;
  }
}

/** One path of a list that git takes apart at colons: inside quotes they are part of the path. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
