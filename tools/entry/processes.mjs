// Starting other programs: quietly while the machine is made ready, in the foreground for the target itself.
//
// Invariants:
//   FG1. A program that fails during preparation shows its whole output; one that succeeds shows none.
//   FG2. A signal to the entry reaches the program, and the entry ends as the program ended.

import { spawn } from 'node:child_process';
import process from 'node:process';
import { EntryError } from './failure.mjs';

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** @type {Record<string, number>} numbers that shells add to 128 */
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * Runs `command` to its end with output kept back. Throws an EntryError with the whole output when it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, started?: (pid: number) => void, hint: string }} options
 *   `started` hears the process id; `hint` is what to do when the program fails
 * @returns {Promise<void>}
 */
export async function runQuietly(command, args, options) {
  /** @type {NodeJS.Signals | undefined} */
  let interrupted;
  /** @param {NodeJS.Signals} signal */
  const interrupt = (signal) => {
    interrupted = signal;
    child.kill(signal); // (FG2)
  };
  // Before the program starts: it may be at work, and somebody interrupt it, before this process runs on.
  for (const signal of forwarded) process.on(signal, interrupt);
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'], shell });
  if (child.pid !== undefined) options.started?.(child.pid);
  /** @type {Buffer[]} */
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const ended = await ending(child, command);
  for (const signal of forwarded) process.off(signal, interrupt);
  if (interrupted !== undefined)
    throw new EntryError(`interrupted by ${interrupted}`, 'The next start goes on from here.');
  if (ended.code === 0) return;
  process.stderr.write(Buffer.concat(output)); // (FG1)
  const how = ended.signal === null ? `ended with code ${ended.code}` : `was ended by ${ended.signal}`;
  throw new EntryError(`'${[command, ...args].join(' ')}' ${how}; its output is above`, options.hint);
}

/**
 * Runs `command` with this process's terminal and ends this process as the program ended (FG2).
 *
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<void>}
 */
export async function runForeground(command, args, env) {
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // A terminal sends Ctrl-C to the whole foreground group, the program included: once is enough.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  // Before the program starts, for the same reason as above.
  for (const signal of forwarded) process.on(signal, forward);
  const child = spawn(command, args, { env, stdio: 'inherit' });
  const ended = await ending(child, command);
  for (const signal of forwarded) process.off(signal, forward);
  if (ended.signal === null) {
    process.exitCode = ended.code ?? 1;
    return;
  }
  process.exitCode = 128 + (signalNumbers[ended.signal] ?? 0);
  process.kill(process.pid, ended.signal);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} command
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
function ending(child, command) {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new EntryError(`'${command}' could not be started: ${error.message}`, '')));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}
