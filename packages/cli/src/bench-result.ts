// Where the result of a benchmark is written, and what stands beside it: which code ran, when, by which command.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import type { ResultFile } from '@firetrident/bench';
import { CommandFailure } from './failure.ts';
import type { CommandSettings } from './program.ts';

/** Refuses a file in a folder that is not there, before anything was measured for it. */
export function requireFolderOf({ configuration }: CommandSettings, file: string | undefined): void {
  if (file === undefined) return;
  const folder = dirname(resolve(configuration.directory, file));
  if (existsSync(folder)) return;
  throw new CommandFailure(`there is no directory ${folder}`, 'make it, or name another file');
}

/**
 * The command that this process was started with, as a person would type it. Of an absolute path it keeps the last part: where
 * this machine keeps its files says nothing to whoever repeats the command.
 */
function typedCommand(): string {
  const words = process.argv.slice(2).map((word) => {
    const short = isAbsolute(word) ? basename(word) : word;
    return /^[\w./,:=@%+-]+$/.test(short) ? short : JSON.stringify(short);
  });
  return ['firetrident', ...words].join(' ');
}

/** Writes a result as JSON with its provenance; nothing when no file was asked for. */
export async function writeResult(
  settings: CommandSettings,
  file: string | undefined,
  result: object,
  command: string = typedCommand(),
): Promise<void> {
  if (file === undefined) return;
  const { provenanceOf } = await import('@firetrident/bench');
  const provenance = provenanceOf(command);
  const place = resolve(settings.configuration.directory, file);
  await writeFile(place, `${JSON.stringify({ ...result, provenance }, null, 1)}\n`);
}

/** The results in files and folders, refused in words where one is none. */
export async function readResultsOf(
  { configuration }: CommandSettings,
  places: readonly string[],
): Promise<readonly ResultFile[]> {
  const { ResultFileError, readResultFiles } = await import('@firetrident/bench');
  try {
    return await readResultFiles(places.map((place) => resolve(configuration.directory, place)));
  } catch (error) {
    if (!(error instanceof ResultFileError)) throw error;
    throw new CommandFailure(
      error.message,
      'name what bench live, peers, sim, cascade or notes-check wrote with --out',
    );
  }
}
