// A checkout that shares the colony's objects: a hand-made `.git` whose alternates point at the trunk repository.
//
// It costs the files of the tree and a few inodes; no object is copied. Files that git ignores (dependencies that the
// setup command installed) survive from one intent to the next.
//
// Invariants:
//   CK1. Changes that were not proposed are captured as a patch before they are thrown away.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGit, tryGit } from './run-git.ts';

/** Where a checkout lies and what it borrows from. */
export interface CheckoutPlace {
  /** Folder of the files. */
  readonly directory: string;
  /** The colony's bare repository on this machine. */
  readonly repository: string;
  /** Folder that captured patches go to. */
  readonly captured: string;
}

const configText = `[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tautocrlf = false
\tquotepath = false
[gc]
\tauto = 0
`;

/** One working directory at some commit of trunk. Rejects with `GitFailedError` when git cannot do what it must. */
export class Checkout {
  readonly place: CheckoutPlace;
  #captures = 0;
  #worthless = false;

  constructor(place: CheckoutPlace) {
    this.place = place;
  }

  /** Makes the folder and its `.git` unless they are there; takes over one that a runner before left. */
  prepare(): void {
    const folder = join(this.place.directory, '.git');
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
      mkdirSync(join(folder, name), { recursive: true });
    // A runner that was killed may have left the lock of the index; nobody else works in this folder.
    rmSync(join(folder, 'index.lock'), { force: true });
    writeFileSync(join(folder, 'objects/info/alternates'), `${join(this.place.repository, 'objects')}\n`);
    writeFileSync(join(folder, 'config'), configText);
    if (!existsSync(join(folder, 'HEAD'))) writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  }

  /**
   * Brings the files to a commit. What lies there is captured first, with `reason` in the patch's name, unless the
   * colony holds it already (CK1).
   */
  async moveTo(commit: string, reason: string): Promise<void> {
    const { directory } = this.place;
    await this.capture(reason);
    await runGit(directory, ['reset', '-q', '--hard', commit]);
    // Twice -f: a repository that a command made inside goes too.
    await runGit(directory, ['clean', '-q', '-ffd']);
    this.#worthless = false;
  }

  /** What lies here was taken over by the colony, or is nothing: it may be thrown away. */
  forget(): void {
    this.#worthless = true;
  }

  /** Writes a patch of everything that differs from the commit; answers its path, or null when nothing is worth it. */
  async capture(reason: string): Promise<string | null> {
    const { directory, captured } = this.place;
    if (this.#worthless || !(await this.#hasCommit())) return null;
    await runGit(directory, ['add', '-A']);
    const patch = await runGit(directory, ['diff', '--cached', '--binary', 'HEAD']);
    if (patch.length === 0) return null;
    mkdirSync(captured, { recursive: true });
    for (;;) {
      this.#captures += 1;
      const path = join(captured, `${reason.replace(/[^A-Za-z0-9_-]+/g, '-')}-${this.#captures}.patch`);
      if (writeFresh(path, patch)) return path;
    }
  }

  remove(): void {
    rmSync(this.place.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Whether there is a commit to compare with: its objects may be gone when the colony was made anew. */
  async #hasCommit(): Promise<boolean> {
    const { directory } = this.place;
    if (!existsSync(join(directory, '.git/index'))) return false;
    return (await tryGit(directory, ['cat-file', '-e', 'HEAD^{tree}'])).code === 0;
  }
}

/** Writes a file durably unless there is one of that name. */
function writeFresh(path: string, bytes: Buffer): boolean {
  try {
    writeFileSync(path, bytes, { flush: true, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The repository that a checkout borrows from, or null when the folder is no such checkout. */
export function borrowedRepository(directory: string): string | null {
  const file = join(directory, '.git/objects/info/alternates');
  if (!existsSync(file)) return null;
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  return line.endsWith('/objects') ? line.slice(0, -'/objects'.length) : null;
}
