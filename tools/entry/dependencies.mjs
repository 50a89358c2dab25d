// The npm packages of the checkout: installed when they are not those of package-lock.json.
//
// npm leaves a record of what it installed, written last, in node_modules/.package-lock.json. Comparing that record with
// the lock file answers for an install by anybody, and an interrupted install has no record.
//
// Invariants:
//   DP1. Nothing is installed while the record agrees with the lock file.
//   DP2. npm runs on the project's Node: on an older one it would leave out native packages that ask for a newer.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { EntryError } from './failure.mjs';
import { withLock } from './lock.mjs';
import { runQuietly } from './processes.mjs';
import { childEnvironment, sayWaiting } from './toolchain.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, bin?: Record<string, string> }} LockEntry */

/**
 * Installs the packages of the lock file unless they are there.
 *
 * @param {string} root
 * @param {string} node the project's Node
 * @returns {Promise<void>}
 */
export async function ensureDependencies(root, node) {
  if (missingPackage(root) === undefined) return; // (DP1)
  await withLock(path.join(root, '.toolchain', 'packages.lock'), sayWaiting, async (held) => {
    const missing = missingPackage(root);
    if (missing === undefined) return;
    process.stderr.write(`firetrident: installing packages with npm ci (${missing})\n`);
    const options = ['--no-audit', '--no-fund', '--engine-strict=false', '--loglevel=error'];
    await runQuietly('npm', ['ci', ...options], {
      cwd: root,
      env: childEnvironment(node), // (DP2)
      started: (pid) => held.installing(pid),
      hint: 'Check the network and the npm configuration, then start again.',
    });
  });
}

/**
 * Names the first difference between the lock file and what is installed; undefined when there is none.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function missingPackage(root) {
  const record = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return 'nothing is installed yet';
  const wanted = readEntries(path.join(root, 'package-lock.json'));
  const installed = readEntries(record);
  for (const [place, entry] of Object.entries(wanted)) {
    if (place === '') continue;
    const found = installed[place];
    // Optional packages are for other platforms more often than not; npm decides about those.
    if (found === undefined && entry.optional === true) continue;
    if (found === undefined) return `${place} is not installed`;
    const same = found.version === entry.version && found.integrity === entry.integrity;
    // npm links a workspace's own commands only when it first links the workspace.
    const commands = place.includes('node_modules/') ? [] : Object.keys(entry.bin ?? {});
    const unlinked = commands.find((command) => !existsSync(path.join(root, 'node_modules', '.bin', command)));
    if (unlinked !== undefined) return `the command ${unlinked} is not linked`;
    if (!same || JSON.stringify(found.bin) !== JSON.stringify(entry.bin)) return `${place} has changed`;
  }
  return undefined;
}

/**
 * @param {string} file
 * @returns {Record<string, LockEntry>}
 */
function readEntries(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EntryError(
      `${file} cannot be read: ${reason}`,
      'Restore it from git, or remove node_modules and start again.',
    );
  }
}
