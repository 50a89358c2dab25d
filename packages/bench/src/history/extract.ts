// The facts of a repository's history: which files, lines and names each landing changed, and what these files import.
//
//   EX1. Facts only: no text of a file, no message and no person of the history leaves here.
//   EX2. Reads are what the written files import at that commit, less what the commit itself writes.

import { createOxcParser, type OxcParser } from '@firetrident/adapters';
import { type ParsedModule, readsOfImports } from '@firetrident/content';
import type { HistoryCommit, HistoryFile, HistoryRead } from '@firetrident/simulator';
import { BlobTexts } from './blob-texts.ts';
import { changedSymbols } from './changed-symbols.ts';
import { type LoggedCommit, type LoggedFile, loggedCommits, pathsBefore } from './git-log.ts';

/** What is extracted. */
export type ExtractOptions = {
  /** A directory of a repository, bare or with a checkout. Its HEAD is followed. */
  readonly repository: string;
  /** The newest so many commits; null for all. */
  readonly limit: number | null;
};

/** Modules that are remembered: the text after a commit is the text before a later one. */
const modulesAtMost = 4_096;

type Source = { readonly text: string; readonly module: ParsedModule | null };

class Extraction {
  readonly #blobs: BlobTexts;
  readonly #parser: OxcParser;
  readonly #sources = new Map<string, Source | null>();

  constructor(repository: string) {
    this.#blobs = new BlobTexts(repository);
    this.#parser = createOxcParser();
  }

  async commit(logged: LoggedCommit, paths: ReadonlySet<string>): Promise<HistoryCommit> {
    const files: HistoryFile[] = [];
    const reads = new Map<string, Set<string> | null>();
    const written = new Set(logged.files.map((file) => file.path));
    for (const file of logged.files) {
      const { path, status, hunks } = file;
      files.push({ path, status, hunks, symbols: await this.#symbolsOf(file) });
      const source = file.newBlob === null ? null : await this.#source(path, file.newBlob);
      for (const read of source === null ? [] : this.#importsOf(path, source, paths)) {
        if (!written.has(read.path)) addRead(reads, read); // (EX2)
      }
    }
    return { id: logged.id, time: logged.time, files, reads: readsInOrder(reads) };
  }

  async close(): Promise<void> {
    await this.#blobs.close();
    await this.#parser.close();
  }

  async #symbolsOf({ path, oldBlob, newBlob }: LoggedFile): Promise<readonly string[] | null> {
    if (!this.#parser.knows(path)) return null;
    const before = oldBlob === null ? null : await this.#source(path, oldBlob);
    const after = newBlob === null ? null : await this.#source(path, newBlob);
    const isUnread = (oldBlob !== null && before === null) || (newBlob !== null && after === null);
    return isUnread ? null : changedSymbols(before?.module ?? null, after?.module ?? null);
  }

  #importsOf(path: string, { text, module }: Source, paths: ReadonlySet<string>): readonly HistoryRead[] {
    const remembered = { knows: (other: string) => this.#parser.knows(other), parse: () => module };
    return readsOfImports(path, text, (other) => paths.has(other), remembered);
  }

  /** The text and module of a file that can be parsed; null for others. */
  async #source(path: string, blob: string): Promise<Source | null> {
    if (!this.#parser.knows(path)) return null;
    // The same bytes under another ending are another module.
    const key = `${blob} ${path.slice(path.lastIndexOf('/') + 1)}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const text = await this.#blobs.read(blob);
    const source = text === null ? null : { text, module: this.#parser.parse(path, text) };
    const oldest = this.#sources.keys().next();
    if (this.#sources.size >= modulesAtMost && oldest.done !== true) this.#sources.delete(oldest.value);
    this.#sources.set(key, source);
    return source;
  }
}

function addRead(reads: Map<string, Set<string> | null>, { path, symbols }: HistoryRead): void {
  const known = reads.get(path);
  if (symbols === null || known === null) reads.set(path, null);
  else reads.set(path, new Set([...(known ?? []), ...symbols]));
}

function readsInOrder(reads: ReadonlyMap<string, ReadonlySet<string> | null>): HistoryRead[] {
  const paths = [...reads.keys()].sort();
  return paths.map((path) => {
    const symbols = reads.get(path) ?? null;
    return { path, symbols: symbols === null ? null : [...symbols].sort() };
  });
}

/** The files of the tree after a commit. */
function advance(paths: Set<string>, files: readonly LoggedFile[]): void {
  for (const { path, status } of files) {
    if (status === 'D') paths.delete(path);
    else paths.add(path);
  }
}

/** Extracts a history, oldest commit first (EX1, EX2). Throws HistoryError for what is not a repository with a commit. */
export async function* extractHistory(options: ExtractOptions): AsyncGenerator<HistoryCommit> {
  const { repository, limit } = options;
  const extraction = new Extraction(repository);
  let paths: Set<string> | null = null;
  try {
    for await (const logged of loggedCommits(repository, limit)) {
      paths ??= await pathsBefore(repository, logged.id);
      advance(paths, logged.files);
      yield await extraction.commit(logged, paths);
    }
  } finally {
    await extraction.close();
  }
}
