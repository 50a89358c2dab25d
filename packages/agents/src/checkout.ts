// A checkout that shares the colony's objects: a hand-made `.git` whose alternates point at the trunk repository.
//
// It costs the files of the tree and a few inodes; no object is copied. Files that git ignores (dependencies that the
// setup command installed) survive from one intent to the next.
//
// Invariants:
//   CK1. Changes that were not proposed are captured as a patch before they are thrown away.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from './run-git.ts';

/** Where a checkout lies and what it borrows from. */
export interface CheckoutPlace {
  /** Folder of the files. */
  readonly directory: string;
  /** The colony's bare repository on this machine. */
  readonly repository: string;
  /** Folder that captured patches go to. */
  readonly captured: string;
}

export class Checkout {
  readonly place: CheckoutPlace;
  #captures = 0;

  constructor(place: CheckoutPlace) {
    this.place = place;
  }

  /** Makes the folder and its `.git` unless they are there. No file of the tree yet. */
  prepare(): void {
    const folder = join(this.place.directory, '.git');
    if (existsSync(join(folder, 'HEAD'))) return;
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'objects/info/alternates'), `${join(this.place.repository, 'objects')}\n`);
    writeFileSync(
      join(folder, 'config'),
      '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfilemode = true\n\tautocrlf = false\n\tquotepath = false\n[gc]\n\tauto = 0\n',
    );
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  }

  /** Brings the files to a commit. What was changed and not proposed is captured first, with `reason` in its name (CK1). */
  async moveTo(commit: string, reason: string): Promise<void> {
    await this.capture(reason);
    const { directory } = this.place;
    await runGit(directory, ['update-ref', '--no-deref', 'HEAD', commit]);
    await runGit(directory, ['reset', '-q', '--hard', commit]);
    await runGit(directory, ['clean', '-q', '-fd']);
  }

  /** Forgets the changes of a proposal that the colony holds now. */
  async forget(): Promise<void> {
    await runGit(this.place.directory, ['reset', '-q', '--hard']);
    await runGit(this.place.directory, ['clean', '-q', '-fd']);
  }

  /** Writes a patch of everything that differs from the commit; answers its path, or null when nothing does. */
  async capture(reason: string): Promise<string | null> {
    const { directory, captured } = this.place;
    if (!(await this.#hasCommit())) return null;
    await runGit(directory, ['add', '-A']);
    const patch = await runGit(directory, ['diff', '--cached', '--binary', 'HEAD']);
    if (patch.length === 0) return null;
    mkdirSync(captured, { recursive: true });
    let path = '';
    do {
      this.#captures += 1;
      path = join(captured, `${reason.replace(/[^A-Za-z0-9_-]+/g, '-')}-${this.#captures}.patch`);
    } while (existsSync(path));
    writeFileSync(path, patch, { flush: true });
    return path;
  }

  remove(): void {
    rmSync(this.place.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async #hasCommit(): Promise<boolean> {
    return existsSync(join(this.place.directory, '.git/index'));
  }
}
