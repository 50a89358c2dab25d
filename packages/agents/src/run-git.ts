// Stock git for workspaces on disk.

import { spawn } from 'node:child_process';
import { gitEnvironment } from './config.ts';

/** What one run of git may be given beside its arguments. */
export interface GitOptions {
  readonly input?: Buffer | string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a run of git ended, and what it printed. */
export interface GitEnd {
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: string;
}

/** What git printed. Rejects with `GitFailedError` unless it exits with 0. */
export async function runGit(directory: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const end = await tryGit(directory, args, options);
  if (end.code !== 0) throw new GitFailedError(args, end.code, end.errors);
  return end.output;
}

/** Runs git where another exit code than 0 is an answer too. Rejects only when git cannot be started. */
export async function tryGit(directory: string, args: readonly string[], options: GitOptions = {}): Promise<GitEnd> {
  const child = spawn('git', ['-c', 'core.hooksPath=/dev/null', ...args], {
    cwd: directory,
    env: { ...gitEnvironment(), ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  // git may end without reading all of its input; its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output: Buffer.concat(output), errors: Buffer.concat(errors).toString('utf8').trim() };
}

/** Pieces of what git printed with -z. */
export function splitAtZero(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    fields.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return fields;
}

/** git refused or failed. */
export class GitFailedError extends Error {
  override readonly name = 'GitFailedError';

  constructor(args: readonly string[], code: number | null, said: string) {
    super(`git ${args[0] ?? ''} ended with ${code}: ${said}`);
  }
}
