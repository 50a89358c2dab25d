// The list of files that a command says it has read: it appends paths to a file, one a line, and the agent tells them.
//
// What the command saw is what the checkout's commit held there. Files that it has changed itself are writes and need
// no word of it.
//
// Invariants:
//   RL1. Each path is told once for each commit that the files were at.
//   RL2. A line that is not whole yet is left for the next time.

import { appendFileSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative } from 'node:path';
import type { HeartbeatRequest } from '@firetrident/protocol';
import { runGit } from './run-git.ts';

/** Reads as a heartbeat carries them. */
export type SeenFiles = NonNullable<HeartbeatRequest['reads']>;

/** Bytes of the list that are looked at; a longer one is cut there. */
const listBytesMax = 4_194_304;
/** Reads in one heartbeat. */
const readsAtOnce = 1_000;

/** The list of one checkout. */
export class ReadList {
  /** Where the command appends to. */
  readonly path: string;
  readonly #directory: string;
  #told = new Set<string>();
  #bytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
    // Where nothing is proposed from, and what goes away with the checkout.
    this.path = join(directory, '.git', 'firetrident.reads');
  }

  /** A command is about to run: nothing is read yet. */
  begin(): void {
    rmSync(this.path, { force: true });
    this.#told = new Set();
    this.#bytes = 0;
  }

  /** Notes a path of the checkout that the program was seen to read. */
  add(path: string): void {
    if (!path.includes('\n')) appendFileSync(this.path, `${path}\n`);
  }

  /** Whether the list has grown since it was looked at last. */
  get hasMore(): boolean {
    return (statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) > this.#bytes;
  }

  /** What was read and not told yet, as the commit `at` has it (RL1). */
  async take(at: string): Promise<SeenFiles> {
    if (!this.hasMore) return [];
    const bytes = (await readFile(this.path)).subarray(0, listBytesMax);
    const end = bytes.lastIndexOf(0x0a) + 1; // (RL2)
    this.#bytes = bytes.length;
    const named = bytes
      .subarray(0, end)
      .toString('utf8')
      .split('\n')
      .map((line) => this.#inside(line.trim()));
    const paths = [...new Set(named)].filter((path) => path !== null && !this.#told.has(`${at} ${path}`)) as string[];
    const now = paths.slice(0, readsAtOnce);
    if (now.length < paths.length) this.#bytes = 0;
    if (now.length === 0) return [];
    for (const path of now) this.#told.add(`${at} ${path}`);
    const blobs = await blobsAt(this.#directory, at, now);
    return now.map((path) => ({ path, blob: blobs.get(path) ?? null, at }));
  }

  /** The path inside the checkout that a line names, or null. */
  #inside(line: string): string | null {
    if (line === '' || !line.isWellFormed()) return null;
    const path = isAbsolute(line) ? relative(this.#directory, line) : normalize(line);
    const isOutside = path === '' || path === '.' || path.startsWith('..') || isAbsolute(path) || path.endsWith('/');
    return isOutside || path.startsWith('.git/') ? null : path;
  }
}

/** Blobs of files at a commit, by path. */
async function blobsAt(directory: string, commit: string, paths: readonly string[]): Promise<Map<string, string>> {
  const listed = await runGit(directory, ['ls-tree', '-z', '-r', '--full-tree', commit, '--', ...paths]);
  const blobs = new Map<string, string>();
  for (const row of listed.toString('utf8').split('\0')) {
    const [head = '', path = ''] = row.split('\t');
    const [, type, blob] = head.split(' ');
    if (type === 'blob' && blob !== undefined) blobs.set(path, blob);
  }
  return blobs;
}
