// Stock git for workspaces on disk.

import { spawn } from 'node:child_process';

/** Variables that would lead git to another repository than the one of its directory. */
const redirecting = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE']);

/** What git printed. Rejects with `GitFailedError` unless it exits with 0. */
export async function runGit(directory: string, args: readonly string[]): Promise<Buffer> {
  const inherited = Object.entries(process.env).filter(([name]) => !redirecting.has(name));
  const environment = { ...Object.fromEntries(inherited), GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const child = spawn('git', [...args], { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new GitFailedError(args, code, Buffer.concat(errors).toString('utf8').trim());
  return Buffer.concat(output);
}

/** git refused or failed. */
export class GitFailedError extends Error {
  override readonly name = 'GitFailedError';

  constructor(args: readonly string[], code: number | null, said: string) {
    super(`git ${args[0] ?? ''} ended with ${code}: ${said}`);
  }
}
