// Programs of the operating system that a target needs. Missing ones are named, or installed where that is expected.

import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { EntryError } from './failure.mjs';
import { runQuietly } from './processes.mjs';

/** @type {Record<string, string>} Debian's package of each program that some target needs */
const debianPackages = { git: 'git' };

/**
 * Makes sure that `programs` are on the PATH. With `install`, missing ones are installed on Debian when this process is
 * root; otherwise an EntryError names them.
 *
 * @param {string[]} programs
 * @param {boolean} install
 * @returns {Promise<void>}
 */
export async function ensurePrograms(programs, install) {
  const missing = programs.filter((program) => !isOnPath(program, process.env.PATH ?? ''));
  if (missing.length === 0) return;
  const packages = missing.map((program) => debianPackages[program] ?? program);
  const advice = `Install ${missing.join(', ')} (on Debian: apt-get install ${packages.join(' ')}).`;
  if (!install || process.getuid?.() !== 0 || !isOnPath('apt-get', process.env.PATH ?? '')) {
    throw new EntryError(`${missing.join(', ')} is not on the PATH`, advice);
  }
  process.stderr.write(`firetrident: installing ${packages.join(', ')} with apt-get\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly('apt-get', ['update', '--quiet'], { env, hint: advice });
  await runQuietly('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...packages], {
    env,
    hint: advice,
  });
}

/**
 * @param {string} program
 * @param {string} searchPath in the form of the PATH variable
 */
export function isOnPath(program, searchPath) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return searchPath
    .split(path.delimiter)
    .some((directory) => endings.some((end) => isExecutable(path.join(directory, program + end))));
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // absent, unreadable or not executable: in each case not usable
  }
}
