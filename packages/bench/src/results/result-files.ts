// All results of some folders, in the order of their names.
//
//   RD1. Files of a folder that do not end in `.json` are none of ours; a folder without any result is refused.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ResultFile, ResultFileError, readResult } from './result-file.ts';

/** Reads folders, and files that are named. Rejects with a ResultFileError. */
export async function readResultFiles(places: readonly string[]): Promise<readonly ResultFile[]> {
  const found: ResultFile[] = [];
  for (const place of places) {
    const files = await filesOf(place);
    // (RD1)
    if (files.length === 0) throw new ResultFileError(`there is no result in ${place}`);
    for (const file of files) found.push(readResult(file, await readFile(file, 'utf8')));
  }
  return found;
}

async function filesOf(place: string): Promise<readonly string[]> {
  try {
    if (!(await stat(place)).isDirectory()) return [place];
    const names = (await readdir(place)).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => join(place, name));
  } catch (error) {
    throw new ResultFileError(`${place} cannot be read: ${(error as Error).message}`);
  }
}
