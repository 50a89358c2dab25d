// The files that git tracks, by folder. A folder has its own files only, not those of the folders below it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Headed, withHeader } from './headers.ts';

/** Where the list of folders is kept. */
export const indexFile = 'CODE-INDEX.md';

/** Tracked files by folder, both sorted; the root is ".". Links, submodules and the index itself are none of them. */
export function trackedFolders(): Map<string, string[]> {
  const listed = execFileSync('git', ['ls-files', '-z', '--stage'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const folders = new Map<string, string[]>();
  for (const entry of listed.split('\0').filter((line) => line.startsWith('100'))) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    // A name that is not UTF-8 came as something else than its bytes.
    if (path === indexFile || path.includes('\ufffd')) continue;
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  const byName = (left: string, right: string) => (left < right ? -1 : 1);
  return new Map(
    [...folders].sort(([left], [right]) => byName(left, right)).map(([name, files]) => [name, files.sort(byName)]),
  );
}

/** A file before and after the change. */
export interface ChangedFile extends Headed {
  readonly path: string;
  readonly before: string;
}

/** Applies the change to files in memory. */
export function changeFiles(paths: readonly string[], licence: string): ChangedFile[] {
  return paths.map((path) => {
    const before = readFileSync(path, 'latin1');
    return { path, before, ...withHeader(path, before, licence) };
  });
}
