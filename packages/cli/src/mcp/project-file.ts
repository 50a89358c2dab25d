// A harness's JSON file in a project, as others wrote it: read before something of ours is put into it.
//
// It never knows what is put there.

import { CommandFailure } from '../failure.ts';

/** An object of such a file. */
export type Json = Record<string, unknown>;

/** The object that a file holds, or an empty one when there is no file or nothing in it. `ours` names what was to be put there. */
export function readProjectFile(file: string, before: string | null, ours: string): Json {
  return before === null || before.trim() === '' ? {} : parseProjectFile(file, before, ours);
}

/** The object that the text of a file is. */
export function parseProjectFile(file: string, text: string, ours: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unusable(file, 'it is not plain JSON', ours);
  }
  throw unusable(file, 'it is not an object', ours);
}

/** Whether a value is an object with keys. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is said of a file that cannot be changed, before anything was. */
export function unusable(file: string, problem: string, ours: string): CommandFailure {
  return new CommandFailure(`${file} cannot be changed: ${problem}`, `leave out --write, and add the ${ours} by hand`);
}
