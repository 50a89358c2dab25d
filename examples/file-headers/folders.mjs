// The files that git tracks, by folder. A folder has its own files only, not those of the folders below it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { withHeader } from './headers.mjs';

/** Where the list of folders is kept. */
export const indexFile = 'CODE-INDEX.md';

/**
 * Tracked files by folder, both sorted; the root is ".". Links, submodules and the index itself are none of them.
 *
 * @returns {Map<string, string[]>}
 */
export function trackedFolders() {
  const listed = execFileSync('git', ['ls-files', '-z', '--stage'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  /** @type {Map<string, string[]>} */
  const folders = new Map();
  for (const entry of listed.split('\0').filter((line) => line.startsWith('100'))) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    // A name that is not UTF-8 came as something else than its bytes.
    if (path === indexFile || path.includes('\ufffd')) continue;
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return new Map([...folders].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * Applies the change to files in memory.
 *
 * @param {string[]} paths
 * @param {string} licence
 */
export function changeFiles(paths, licence) {
  return paths.map((path) => {
    const before = readFileSync(path, 'latin1');
    return { path, before, ...withHeader(path, before, licence) };
  });
}
