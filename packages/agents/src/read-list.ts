// The list of files that were read in a checkout: who saw a read appends its path to a file, one a line, and the agent tells
// them. A line that begins with the name of a source and a tab says who saw it; any other was told by the command itself.
//
// What the command saw is what the checkout's commit held there. Files that it has changed itself are writes and need
// no word of it.
//
// Invariants:
//   RL1. Each path is told once for each commit that the files were at.
//      A path is told no more only once git has said what the commit holds there.
//   RL2. A line that is not whole yet is left for the next time.

import { appendFileSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative } from 'node:path';
import { type ListedSource, parseReadLine, readListLine, readListName } from '@firetrident/base';
import { type HeartbeatRequest, wireLimits } from '@firetrident/protocol';
import { gitOn, type WorkTree } from './work-tree.ts';

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
  readonly #tree: WorkTree;
  #told = new Set<string>();
  #bytes = 0;

  constructor(tree: WorkTree) {
    this.#tree = tree;
    this.path = join(tree.gitDirectory, readListName);
  }

  /** A command is about to run: nothing is read yet. */
  begin(): void {
    rmSync(this.path, { force: true });
    this.#told = new Set();
    this.#bytes = 0;
  }

  /** Notes a path of the checkout that the program was seen to read. */
  add(path: string, source: ListedSource): void {
    appendFileSync(this.path, readListLine(path, source));
  }

  /** Whether the list has grown since it was looked at last. */
  get hasMore(): boolean {
    return (statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) > this.#bytes;
  }

  /** What was read and not told yet, as the commit `at` has it (RL1). Rejects with `GitFailedError`; nothing is lost then. */
  async take(at: string): Promise<SeenFiles> {
    if (!this.hasMore) return [];
    const bytes = (await readFile(this.path)).subarray(0, listBytesMax);
    const end = bytes.lastIndexOf(0x0a) + 1; // (RL2)
    const sources = new Map<string, ListedSource>();
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
      const parsed = parseReadLine(line);
      const path = this.#inside(parsed.path.trim());
      // The first who saw it is named.
      if (path !== null && !sources.has(path)) sources.set(path, parsed.source);
    }
    const paths = [...sources.keys()].filter((path) => !this.#told.has(`${at} ${path}`));
    const now = paths.slice(0, readsAtOnce);
    const blobs = await blobsAt(this.#tree, at, now);
    for (const path of now) this.#told.add(`${at} ${path}`); // (RL1)
    this.#bytes = now.length < paths.length ? 0 : bytes.length;
    return now.map((path) => ({ path, blob: blobs.get(path) ?? null, at, source: sources.get(path) ?? 'told' }));
  }

  /** The path inside the checkout that a line names, or null. */
  #inside(line: string): string | null {
    if (line === '' || line.length > wireLimits.pathCharacters || line.includes('\0')) return null;
    if (!line.isWellFormed()) return null;
    const path = isAbsolute(line) ? relative(this.#tree.directory, line) : normalize(line);
    const isOutside = path === '' || path === '.' || path.startsWith('..') || isAbsolute(path) || path.endsWith('/');
    return isOutside || path.startsWith('.git/') ? null : path;
  }
}

/** Blobs of files at a commit, by path. The paths go over a pipe: as arguments they would be bounded, and patterns. */
async function blobsAt(tree: WorkTree, commit: string, paths: readonly string[]): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const input = paths.map((path) => `${commit}:${path}\n`).join('');
  const listed = await gitOn(tree, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], { input });
  const rows = listed.toString('utf8').split('\n');
  const blobs = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const [type, blob] = rows[index]?.split(' ') ?? [];
    if (type === 'blob' && blob !== undefined) blobs.set(path, blob);
  }
  return blobs;
}
