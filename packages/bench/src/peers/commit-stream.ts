// Commits by a `git fast-import` that stays: the fastest way to make many commits with stock git and no checkout.
//
//   FI1. A commit can be built upon at once, and is seen by other processes from the next checkpoint on.
//   FI2. A change lands on a tip when its file is there as its agent saw it. Files of this load are rewritten as a whole, so
//        that git's three-way merge conflicts in exactly the same cases.

import { GitConversation, type GitUse, readLine } from '../live/git-use.ts';

const identity = 'bench <bench@firetrident.invalid>';

/** What one agent wants on trunk: one whole file. */
export interface FileChange {
  readonly title: string;
  readonly path: string;
  readonly text: string;
}

/** A change with the tip that its agent had seen. */
export interface BasedChange {
  readonly base: string;
  readonly change: FileChange;
}

/** A commit that writes one file, as fast-import reads it. */
export function commitText(ref: string, mark: number, parent: string, { title, path, text }: FileChange): string {
  const stamp = `${identity} ${Math.floor(Date.now() / 1_000)} +0000`;
  return `commit ${ref}\nmark :${mark}\ncommitter ${stamp}\n${data(title)}from ${parent}\nM 100644 inline ${path}\n${data(text)}\n`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** Packs are kept as they are: taking small ones apart again would cost a process each. */
export const importing = ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--force', '--done'];

/** One fast-import on one repository. */
export class CommitStream {
  readonly #conversation: GitConversation;
  readonly #ref: string;
  #marks = 0;
  /** How fast-import knows what it made itself: by mark, before it can be found by its id. */
  readonly #markOf = new Map<string, string>();

  /** Its commits are kept alive by `ref`, which is nobody else's. */
  constructor(use: GitUse, repository: string, ref: string) {
    this.#conversation = new GitConversation(use, repository, importing);
    this.#ref = ref;
  }

  /**
   * Lands changes on a tip, one commit each on top of the one before: the commits, and null for what conflicts (FI2). All of
   * them are asked for at once.
   */
  async landAll(tip: string, wanted: readonly BasedChange[]): Promise<readonly (string | null)[]> {
    const still = await Promise.all(wanted.map((each) => this.#isStill(tip, each)));
    const written = new Set<string>();
    let onto = this.#name(tip);
    const made = wanted.map(({ change }, index) => {
      if (still[index] !== true || written.has(change.path)) return null;
      written.add(change.path);
      const commit = this.#commit(onto, change);
      onto = `:${this.#marks}`;
      return commit;
    });
    return Promise.all(made);
  }

  /** Whether the file is on the tip as it was on the base of its change. */
  async #isStill(tip: string, { base, change }: BasedChange): Promise<boolean> {
    if (base === tip) return true;
    const [before, now] = await Promise.all([this.#file(base, change.path), this.#file(tip, change.path)]);
    return before === now;
  }

  /** The file of a commit as fast-import names it, which is the same text for the same content. */
  #file(commit: string, path: string): Promise<string> {
    return this.#conversation.ask(`ls ${this.#name(commit)} ${path}\n`, readLine);
  }

  async #commit(onto: string, change: FileChange): Promise<string> {
    this.#marks += 1;
    const mark = this.#marks;
    const text = commitText(this.#ref, mark, onto, change);
    const made = await this.#conversation.ask(`${text}get-mark :${mark}\n`, readLine);
    this.#markOf.set(made, `:${mark}`);
    return made;
  }

  /** Lets everybody see what was made (FI1). */
  async checkpoint(): Promise<void> {
    await this.#conversation.ask('checkpoint\nprogress seen\n', readLine);
  }

  #name(commit: string): string {
    return this.#markOf.get(commit) ?? commit;
  }

  async close(): Promise<void> {
    await this.#conversation.ask('progress over\n', readLine);
    this.#conversation.send('done\n');
    await this.#conversation.close();
  }
}
