// From `git log` with patches to commits with their files and hunks.
//
//   LG1. One process reads the whole history; a commit is given as soon as the next one begins.
//   LG2. A merge counts with what it brought to its first parent, as a landing does. A commit that changes no file is left out.
//   LG3. A rename is a delete and an add. Names that git puts into quotes stay as git writes them.

import type { TaskFileStatus, TaskHunk } from '@firetrident/simulator';
import { gitLines } from './git-lines.ts';

/** A file of a commit, with the blobs before and after; null where there is none, or it is not a plain file. */
export type LoggedFile = {
  readonly path: string;
  readonly status: TaskFileStatus;
  readonly hunks: TaskHunk[];
  readonly oldBlob: string | null;
  readonly newBlob: string | null;
};

/** A commit of the first-parent history. */
export type LoggedCommit = { readonly id: string; readonly time: number; readonly files: LoggedFile[] };

const plainFile = /^100/;

function blobOf(mode: string, blob: string): string | null {
  return plainFile.test(mode) && !/^0+$/.test(blob) ? blob : null;
}

function fileOf(line: string): LoggedFile | null {
  const match = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([AMDT])\t(.*)$/s.exec(line);
  if (match === null) return null;
  const [, oldMode = '', newMode = '', oldBlob = '', newBlob = '', status, name = ''] = match;
  return {
    path: Buffer.from(name, 'latin1').toString('utf8'),
    status: status as TaskFileStatus,
    hunks: [],
    oldBlob: blobOf(oldMode, oldBlob),
    newBlob: blobOf(newMode, newBlob),
  };
}

function hunkOf(line: string): TaskHunk | null {
  const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
  if (match === null) return null;
  const [, oldStart, oldLines = '1', newStart, newLines = '1'] = match;
  return [Number(oldStart), Number(oldLines), Number(newStart), Number(newLines)];
}

/** Puts the lines of one commit together. Patches come in the order of the raw lines; a change of type has two. */
class CommitLines {
  readonly commit: LoggedCommit;
  readonly #patched: LoggedFile[] = [];
  #current: LoggedFile | undefined;
  #patches = 0;

  constructor(header: string) {
    const [, id = '', time = '0'] = header.split(' ');
    this.commit = { id, time: Number(time), files: [] };
  }

  add(line: string): void {
    if (line.startsWith(':')) this.#addFile(fileOf(line));
    else if (line.startsWith('diff --git ')) {
      this.#current = this.#patched[this.#patches];
      this.#patches += 1;
    } else if (line.startsWith('@@ ')) {
      const hunk = hunkOf(line);
      if (hunk !== null) this.#current?.hunks.push(hunk);
    }
  }

  #addFile(file: LoggedFile | null): void {
    if (file === null) return;
    this.commit.files.push(file);
    this.#patched.push(file);
    if (file.status === 'T') this.#patched.push(file);
  }
}

const logArguments = [
  'log',
  '--first-parent',
  '--diff-merges=first-parent',
  '--reverse',
  '--format=commit %H %ct',
  '--raw',
  '--no-abbrev',
  '--patch',
  '--unified=0',
  '--no-renames', // (LG3)
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
];

/** The commits of a revision's first-parent history, oldest first (LG1, LG2); with a limit, the newest so many. */
export async function* loggedCommits(repository: string, limit: number | null): AsyncGenerator<LoggedCommit> {
  const count = limit === null ? [] : [`--max-count=${limit}`];
  let lines: CommitLines | null = null;
  for await (const line of gitLines(repository, [...logArguments, ...count, 'HEAD', '--'])) {
    // No other line of git's output begins with this word: those of a patch begin with a sign.
    if (!line.startsWith('commit ')) {
      lines?.add(line);
      continue;
    }
    if (lines !== null && lines.commit.files.length > 0) yield lines.commit;
    lines = new CommitLines(line);
  }
  if (lines !== null && lines.commit.files.length > 0) yield lines.commit;
}

/** The files of the tree right before a commit; none before the first. */
export async function pathsBefore(repository: string, commit: string): Promise<Set<string>> {
  const paths = new Set<string>();
  const parents = gitLines(repository, ['rev-list', '--parents', '--max-count=1', commit, '--']);
  for await (const line of parents) {
    const parent = line.split(' ')[1];
    if (parent === undefined) continue;
    for await (const name of gitLines(repository, ['ls-tree', '-r', '--name-only', '--full-tree', parent])) {
      paths.add(Buffer.from(name, 'latin1').toString('utf8'));
    }
  }
  return paths;
}
