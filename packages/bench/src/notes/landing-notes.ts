// The landing commits of a branch beside the notes that belong to them, by stock git. It changes nothing.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The ref of the lineage notes. */
export const notesRef = 'refs/notes/firetrident';

const outputBytes = 1 << 30;

/** A commit with the landings that its trailers name. */
export interface LandingCommit {
  readonly commit: string;
  readonly landings: readonly string[];
}

/** Landings on a branch, and the notes that there are. */
export interface LandingNotes {
  /** Commits on the branch. */
  readonly commits: number;
  readonly landings: readonly LandingCommit[];
  /** Those of them without a note, newest first. */
  readonly missing: readonly string[];
  /** Blob of the note by its commit, also of commits that are no landings. */
  readonly noteOf: ReadonlyMap<string, string>;
  /** Paths of the notes tree. */
  readonly paths: readonly string[];
}

/** Compares the landing commits of a branch with the notes. Rejects when git fails, as without such a branch. */
export async function landingNotes(repository: string, branch: string): Promise<LandingNotes> {
  const format = '--format=%H %(trailers:key=FT-Landing,valueonly,separator=%x20)';
  const log = textLines(await gitText(repository, ['log', format, `refs/heads/${branch}`]));
  const landings = log.flatMap((line) => {
    const [commit = '', ...named] = line.trim().split(' ');
    return named.length === 0 ? [] : [{ commit, landings: named }];
  });
  const hasNotes = (await gitText(repository, ['for-each-ref', notesRef])) !== '';
  const listed = hasNotes ? textLines(await gitText(repository, ['notes', `--ref=${notesRef}`, 'list'])) : [];
  const noteOf = new Map(listed.map((line) => line.split(' ').reverse() as [string, string]));
  const paths = hasNotes ? textLines(await gitText(repository, ['ls-tree', '-r', '--name-only', notesRef])) : [];
  const missing = landings.flatMap(({ commit }) => (noteOf.has(commit) ? [] : [commit]));
  return { commits: log.length, landings, missing, noteOf, paths };
}

/** What git prints. Rejects when it fails. */
export async function gitText(directory: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...args], { cwd: directory, maxBuffer: outputBytes });
  return stdout;
}

function textLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
