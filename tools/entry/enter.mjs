// Brings a bare machine to the point where a target can run, then runs it.
//
// Invariants:
//   EN1. Once the machine is ready, a start installs nothing, takes no lock and asks no network.
//   EN2. The target runs on a Node that can run TypeScript, and so does every program that it starts.
// Not here: fetching Node (toolchain.mjs), installing packages (dependencies.mjs), the list of targets (targets.mjs).

import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './dependencies.mjs';
import { EntryError } from './failure.mjs';
import { runForeground } from './processes.mjs';
import { ensurePrograms } from './programs.mjs';
import { targetNames, targets } from './targets.mjs';
import { childEnvironment, ensureNode } from './toolchain.mjs';

/** The root of this checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs the target called `name` with `args` and ends this process as the target ended: with its exit code, or
 * by the signal that ended it. A machine that cannot be made ready is told on standard error, with exit code 1.
 *
 * @param {string} name
 * @param {string[]} args
 * @returns {Promise<void>}
 */
export async function enter(name, args) {
  try {
    const target = targets[name];
    if (target === undefined) {
      throw new EntryError(`no target is called '${name}'`, `Choose one of: ${targetNames().join(', ')}.`);
    }
    const node = await ensureNode(root); // (EN1) (EN2)
    await ensureDependencies(root, node); // (EN1)
    await ensurePrograms(target.programs, target.installPrograms);
    const script = target.file === undefined ? [] : [path.join(root, target.file), ...target.args];
    // Node announces erasable types and node:sqlite as experimental; both are deliberate here.
    const flags = ['--disable-warning=ExperimentalWarning', ...target.flags];
    await runForeground(node, [...flags, ...script, ...args], { ...target.environment, ...childEnvironment(node) });
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    process.stderr.write(`firetrident: ${error.message}\n`);
    if (error.hint !== '') process.stderr.write(`  ${error.hint}\n`);
    process.exitCode = 1;
  }
}
