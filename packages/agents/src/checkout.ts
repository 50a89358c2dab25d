// A checkout that shares the colony's objects: hand-made git directories whose alternates point at the trunk repository.
//
// It costs the files of the tree and a few inodes; no object is copied. The files are copies, never links: what is written
// in one checkout is written nowhere else. Files that git ignores (dependencies that the setup command installed) survive from one
// intent to the next.
//
// A checkout of a fleet has two git directories. The desk lies beside it and is what this program works with: it knows the
// base, and trusts nothing that an agent may have written. The one inside is the agent's own, to use, change or delete; it is
// written afresh with each reset.
//
// Invariants:
//   CK1. Changes that were not proposed are captured under a ref before they are thrown away; where that cannot be done in
//        full, nothing is thrown away.
//   CK2. What an agent does to the repository inside, deleting it included, harms neither the capture nor anybody else.
//   CK3. After a kill at any moment the desk says whether somebody was at work, so that the next start captures it.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Capture, captureTree } from './capture.ts';
import {
  configureGitDirectory,
  type GitDirectoryFacts,
  headCommit,
  makeGitDirectory,
  pointHead,
} from './git-directory.ts';
import { tryGit } from './run-git.ts';
import { gitOn, type WorkTree } from './work-tree.ts';

/** Where a checkout lies and what it borrows from. */
export interface CheckoutPlace {
  /** Folder of the files. */
  readonly directory: string;
  /** The colony's bare repository on this machine. */
  readonly repository: string;
  /** Bare repository that captures go to; it is made with the first. */
  readonly captured: string;
  /** Git directory out of the agent's reach; where it is absent, the one inside the checkout serves. */
  readonly desk?: string;
}

/** Files are left where they are, because not all of them can be captured (CK1). */
export class NotCapturedError extends Error {
  override readonly name = 'NotCapturedError';
  readonly directory: string;

  constructor(directory: string, missing: string) {
    super(`not all of ${directory} can be captured: ${missing}`);
    this.directory = directory;
  }
}

/** What the git directory says about the files. `clean`: nothing is worth keeping, in whatever order the files are. */
interface Note {
  readonly state: 'ready' | 'work' | 'clean';
  readonly base: string | null;
  readonly reason: string;
}

const noteName = 'firetrident-note';

/** Longest time that a git which outlived its runner is waited for. */
const lockWaitMs = 3_000;

/** One working directory at some commit of trunk. Rejects with `GitFailedError` when git cannot do what it must. */
export class Checkout {
  readonly place: CheckoutPlace;
  readonly tree: WorkTree;
  #patterns: readonly string[] | null = null;
  #worthless = false;

  constructor(place: CheckoutPlace) {
    this.place = place;
    this.tree = { directory: place.directory, gitDirectory: place.desk ?? join(place.directory, '.git') };
  }

  /** Makes the folder and its git directory unless they are there; takes over one that a runner before left. */
  prepare(): void {
    mkdirSync(this.place.directory, { recursive: true });
    makeGitDirectory(this.tree.gitDirectory, this.#facts);
  }

  /** Waits until no git of a runner that was killed is at work here, and takes away the lock that it left. */
  async takeOver(): Promise<void> {
    const lock = join(this.tree.gitDirectory, 'index.lock');
    for (let waitedMs = 0; existsSync(lock) && waitedMs < lockWaitMs && isRecent(lock); waitedMs += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    rmSync(lock, { force: true });
    this.prepare();
  }

  /** The commit that the files stand on; null before the first. */
  get base(): string | null {
    return this.#note().base ?? headCommit(this.tree.gitDirectory);
  }

  /** For whom somebody is at work here, or was when a runner was killed; null when nothing is worth keeping. */
  get work(): string | null {
    const { state, reason } = this.#note();
    return state === 'work' ? reason : null;
  }

  /** Whether the files are as the last reset left them. */
  get isReady(): boolean {
    return this.#note().state === 'ready';
  }

  /** What lies here stands on another commit now, because somebody merged it in. */
  rebased(base: string): void {
    this.#write({ ...this.#note(), base });
  }

  /** Somebody begins to work here: until it is forgotten or captured, what lies here is worth keeping (CK3). */
  begin(reason: string): void {
    this.#worthless = false;
    this.#write({ ...this.#note(), state: 'work', reason });
  }

  /** What lies here was taken over by the colony, or is nothing: it may be thrown away. */
  forget(): void {
    this.#worthless = true;
    this.#write({ ...this.#note(), state: 'clean' });
  }

  /**
   * Brings the files to a commit: those that match the patterns, or all. What lies there is captured first, with
   * `reason` as its name, unless the colony holds it already (CK1); rejects with `NotCapturedError` when not all of it can be. Answers
   * the capture.
   */
  async moveTo(commit: string, reason: string, patterns: readonly string[] | null = null): Promise<Capture | null> {
    const capture = await this.secure(reason);
    await this.#show(commit, patterns);
    // Twice -f: a repository that a command made inside goes too.
    await gitOn(this.tree, ['clean', '-q', '-ffd']);
    this.#stand(commit);
    return capture;
  }

  /** Like `moveTo`, and cheaper when nobody has worked here since the last reset: then only what differs is looked at. */
  async shift(commit: string, reason: string, patterns: readonly string[] | null = null): Promise<void> {
    if (!this.isReady) {
      await this.moveTo(commit, reason, patterns);
      return;
    }
    if (this.base === commit && JSON.stringify(patterns) === JSON.stringify(this.#patterns)) return;
    this.forget();
    await this.#show(commit, patterns);
    this.#stand(commit);
  }

  /**
   * Captures what is worth it, so that the files may be thrown away; answers the capture. Rejects with `NotCapturedError` when not all of it can be
   * captured: then nothing may (CK1).
   */
  async secure(reason: string): Promise<Capture | null> {
    const capture = await this.capture(reason);
    if (capture !== null && capture.missing !== null) throw new NotCapturedError(this.place.directory, capture.missing);
    // From here on nothing is worth keeping; after a kill the next reset brings in order what this one left (CK3).
    this.forget();
    return capture;
  }

  /** Keeps everything that differs from the base under a ref; answers it, or null when nothing is worth it. */
  async capture(reason: string): Promise<Capture | null> {
    const { state, base } = this.#note();
    if (this.#worthless || state !== 'work' || !this.#hasFiles()) return null;
    const { directory, repository, captured, desk } = this.place;
    // A person may have moved on to another commit of the colony, or made commits inside; a desk may have been deleted.
    const inside = headCommit(join(directory, '.git'));
    const standing = desk === undefined ? [inside, base] : [base, inside];
    const known = await this.#firstKnown(standing);
    return captureTree({ tree: this.tree, repository, captured, base: known, reason });
  }

  /** Takes the files away. What is worth keeping has been captured before. */
  remove(): void {
    rmSync(this.place.directory, { recursive: true, force: true, maxRetries: 5 });
    rmSync(this.tree.gitDirectory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Writes the agent's own repository afresh: at the base, with nothing staged (CK2). */
  openFront(identity: string): void {
    if (this.place.desk === undefined) return;
    const front = join(this.place.directory, '.git');
    rmSync(front, { recursive: true, force: true, maxRetries: 5 });
    makeGitDirectory(front, { ...this.#facts, identity });
    pointHead(front, this.base ?? '');
    for (const name of ['index', 'info/exclude']) {
      const from = join(this.place.desk, name);
      if (existsSync(from)) copyFileSync(from, join(front, name));
    }
  }

  async #show(commit: string, patterns: readonly string[] | null): Promise<void> {
    const wasSparse = existsSync(join(this.tree.gitDirectory, 'info/sparse-checkout'));
    // Patterns that match everything bring back what was hidden; with none at all, git would leave it so.
    this.#patterns = patterns ?? (wasSparse ? ['/*'] : null);
    configureGitDirectory(this.tree.gitDirectory, this.#facts);
    await gitOn(this.tree, ['read-tree', '--reset', '-u', commit]);
    this.#patterns = patterns;
    if (wasSparse && patterns === null) configureGitDirectory(this.tree.gitDirectory, this.#facts);
  }

  #stand(commit: string): void {
    this.#worthless = false;
    pointHead(this.tree.gitDirectory, commit);
    this.#write({ state: 'ready', base: commit, reason: '' });
  }

  /** Whether anything lies here: files may be all that somebody has left. */
  #hasFiles(): boolean {
    const { directory } = this.place;
    return existsSync(directory) && readdirSync(directory).some((name) => name !== '.git');
  }

  /** The first commit that the colony has: it may have been made anew under its name. */
  async #firstKnown(commits: readonly (string | null)[]): Promise<string | null> {
    const { repository } = this.place;
    const environment = { GIT_DIR: repository };
    for (const commit of commits) {
      if (commit === null) continue;
      const end = await tryGit(repository, ['cat-file', '-e', `${commit}^{tree}`], { environment });
      if (end.code === 0) return commit;
    }
    return null;
  }

  get #facts(): GitDirectoryFacts {
    return { repository: this.place.repository, patterns: this.#patterns, identity: null };
  }

  #note(): Note {
    const file = join(this.tree.gitDirectory, noteName);
    if (!existsSync(file)) return { state: 'work', base: null, reason: '' };
    return JSON.parse(readFileSync(file, 'utf8')) as Note;
  }

  /** Writes the note whole or not at all, and durably: it says whether what lies here is worth keeping. */
  #write(noted: Note): void {
    const file = join(this.tree.gitDirectory, noteName);
    // Beside a desk, work begins with `begin`; a person's begins without a word.
    const note: Note = this.place.desk === undefined ? { ...noted, state: 'work' } : noted;
    writeFileSync(`${file}.draft`, JSON.stringify(note), { flush: note.state === 'work' });
    renameSync(`${file}.draft`, file);
  }
}

function isRecent(file: string): boolean {
  const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return changedMs !== undefined && Date.now() - changedMs < lockWaitMs;
}

/** The repository that a checkout borrows from, or null when the folder is no such checkout. */
export function borrowedRepository(directory: string): string | null {
  const file = join(directory, '.git/objects/info/alternates');
  if (!existsSync(file)) return null;
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  return line.endsWith('/objects') ? line.slice(0, -'/objects'.length) : null;
}
