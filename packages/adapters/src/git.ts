// Stock git as a process.
//
// Invariants:
//   GT1. git sees nothing of the caller's git environment, never prompts, and runs no hook and no template.
//   GT2. No more output is held than the bound; git is stopped at the first byte beyond it.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { GitResult, GitRunner } from '@firetrident/trunk';
import { environmentWithoutGit } from './config.ts';
import { fixedEnvironment } from './git-process.ts';

/** How git processes are run. */
export interface NodeGitOptions {
  /** The program; "git" from the path by default. */
  readonly program?: string;
  /** A command that runs longer is killed. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** A command with more output than this is stopped (GT2). Default: no bound, for what we ask of repositories of ours. */
  readonly outputBytesMax?: number;
  /** Error output beyond this many bytes is dropped. Default: 64 KiB. */
  readonly errorBytesMax?: number;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** GitRunner port on child processes (GT1). */
export class NodeGit implements GitRunner {
  readonly #program: string;
  readonly #timeoutMs: number;
  readonly #outputBytesMax: number;
  readonly #errorBytesMax: number;
  readonly #environment: Record<string, string>;

  constructor(options: NodeGitOptions = {}) {
    this.#program = options.program ?? 'git';
    this.#timeoutMs = options.timeoutMs ?? 600_000;
    this.#outputBytesMax = options.outputBytesMax ?? Number.POSITIVE_INFINITY;
    this.#errorBytesMax = options.errorBytesMax ?? 65_536;
    this.#environment = { ...environmentWithoutGit(), ...fixedEnvironment, ...options.environment };
  }

  run(
    args: readonly string[],
    options: { readonly input?: Uint8Array; readonly directory?: string } = {},
  ): Promise<GitResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.#program, ['-c', 'core.hooksPath=/dev/null', ...args], {
        cwd: options.directory,
        env: this.#environment,
        stdio: 'pipe',
        timeout: this.#timeoutMs,
      });
      let output: Buffer[] = [];
      let outputBytes = 0;
      const errors: Buffer[] = [];
      let errorBytes = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        outputBytes += chunk.length;
        if (outputBytes <= this.#outputBytesMax) output.push(chunk);
        else {
          // (GT2)
          output = [];
          child.kill('SIGKILL');
          // What git started ends when nobody reads it any more.
          child.stdout.destroy();
        }
      });
      child.stderr.on('data', (chunk: Buffer) => {
        if (errorBytes < this.#errorBytesMax) errors.push(chunk);
        errorBytes += chunk.length;
      });
      child.on('error', reject);
      child.on('close', (code, signal) => {
        const status = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
        resolve({
          code: status,
          stdout: Buffer.concat(output),
          stderr: Buffer.concat(errors).toString('utf8'),
          isCut: outputBytes > this.#outputBytesMax,
        });
      });
      // git may end without reading all of its input; its exit status says why.
      child.stdin.on('error', () => undefined);
      child.stdin.end(options.input ?? new Uint8Array(0));
    });
  }
}
