// The facts of a repository's history, as JSON lines: one landing a line.
//
// A line is `{ id, time, files: [{ path, status, hunks, symbols? }], reads: [{ path, symbols? }] }`. `symbols` is left out where it
// is unknown. The facts say where a change lies and what it depends on, never what it says.
//
//   HI1. A text is read whole or refused with the number of the first line that is wrong.
//   HI2. What is written reads back as it was.

import { no, ok, type Result } from '@firetrident/base';
import type { TaskFileStatus, TaskHunk } from './task.ts';

/** A file that a commit of the history changed. */
export type HistoryFile = {
  readonly path: string;
  readonly status: TaskFileStatus;
  readonly hunks: readonly TaskHunk[];
  readonly symbols: readonly string[] | null;
};

/** A file that the changed files import from, and that the commit did not change. */
export type HistoryRead = { readonly path: string; readonly symbols: readonly string[] | null };

/** A commit of the history. */
export type HistoryCommit = {
  readonly id: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly files: readonly HistoryFile[];
  readonly reads: readonly HistoryRead[];
};

/** Why a text is not a history: the line, from 1, and what is wrong there. */
export type HistoryRefusal = { readonly line: number; readonly message: string };

const statuses: readonly unknown[] = ['A', 'M', 'D', 'T'] satisfies TaskFileStatus[];

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function areNames(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === 'string'));
}

function isHunk(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 4) return false;
  return value.every((number) => Number.isInteger(number) && number >= 0);
}

function wrongFile(value: unknown): string | null {
  const file = fieldsOf(value);
  if (file === null || typeof file.path !== 'string' || file.path === '') return 'a file without a path';
  if (!statuses.includes(file.status)) return `the status of ${file.path} is none of A, M, D, T`;
  if (!Array.isArray(file.hunks) || !file.hunks.every(isHunk))
    return `the hunks of ${file.path} are not lists of 4 counts`;
  return areNames(file.symbols) ? null : `the symbols of ${file.path} are not a list of names`;
}

function wrongRead(value: unknown): string | null {
  const read = fieldsOf(value);
  if (read === null || typeof read.path !== 'string' || read.path === '') return 'a read without a path';
  return areNames(read.symbols) ? null : `the symbols of the read ${read.path} are not a list of names`;
}

function wrongCommit(commit: Fields): string | null {
  if (typeof commit.id !== 'string') return 'no id';
  if (typeof commit.time !== 'number') return 'no time';
  if (!Array.isArray(commit.files) || commit.files.length === 0) return 'no files';
  if (!Array.isArray(commit.reads)) return 'no reads';
  return commit.files.map(wrongFile).find((wrong) => wrong !== null) ?? firstOf(commit.reads.map(wrongRead));
}

function firstOf(messages: readonly (string | null)[]): string | null {
  return messages.find((message) => message !== null) ?? null;
}

function parsedLine(line: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    // Not JSON: the caller says in which line.
    return null;
  }
}

type WrittenPart = { path: string; symbols?: readonly string[] };

function commitOf(fields: Fields): HistoryCommit {
  const known = <P extends WrittenPart>(part: P) => ({ ...part, symbols: part.symbols ?? null });
  return {
    id: fields.id as string,
    time: fields.time as number,
    files: (fields.files as (Omit<HistoryFile, 'symbols'> & WrittenPart)[]).map(known),
    reads: (fields.reads as WrittenPart[]).map(known),
  };
}

/** Reads a history (HI1). Empty lines are skipped; a history without a commit is refused. */
export function parseHistory(text: string): Result<readonly HistoryCommit[], HistoryRefusal> {
  const commits: HistoryCommit[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = parsedLine(line);
    const wrong = fields === null ? 'not a JSON object' : wrongCommit(fields);
    if (fields === null || wrong !== null) return no({ line: index + 1, message: wrong ?? '' });
    commits.push(commitOf(fields));
  }
  return commits.length === 0 ? no({ line: 1, message: 'no commit at all' }) : ok(commits);
}

/** The line of one commit, with its end (HI2). */
export function historyLine(commit: HistoryCommit): string {
  const written = <P extends { symbols: readonly string[] | null }>({ symbols, ...rest }: P) =>
    symbols === null ? rest : { ...rest, symbols };
  const { id, time, files, reads } = commit;
  return `${JSON.stringify({ id, time, files: files.map(written), reads: reads.map(written) })}\n`;
}
