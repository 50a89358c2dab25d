// Stock git as a process.
//
// Invariants:
//   GT1. git sees nothing of the caller's git environment, never prompts, and runs no hook and no template.
//   GT2. No more output is held than the bound; git is stopped at the first byte beyond it.
//   GT3. After `close` no git of this runner is under way, and none begins.

import { constants } from 'node:os';
import { type GitResult, type GitRunner, type GitRunOptions, TrunkError } from '@firetrident/trunk';
import { type GitEnd, type GitProcess, startGit } from './git-process.ts';

/** How git processes are run. */
export interface NodeGitOptions {
  /** The program; "git" from the path by default. */
  readonly program?: string;
  /** A command that runs longer is stopped, unless it brings a bound of its own. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** A command with more output than this is stopped (GT2). Default: no bound, for what we ask of repositories of ours. */
  readonly outputBytesMax?: number;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** GitRunner port on child processes (GT1). */
export class NodeGit implements GitRunner {
  readonly #program: string;
  readonly #timeoutMs: number;
  readonly #outputBytesMax: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #running = new Set<GitProcess>();
  #isClosed = false;

  constructor(options: NodeGitOptions = {}) {
    this.#program = options.program ?? 'git';
    this.#timeoutMs = options.timeoutMs ?? 600_000;
    this.#outputBytesMax = options.outputBytesMax ?? Number.POSITIVE_INFINITY;
    this.#environment = options.environment ?? {};
  }

  async run(args: readonly string[], options: GitRunOptions = {}): Promise<GitResult> {
    if (this.#isClosed) throw new TrunkError('git-failed', 'the repository is being closed; git is not started');
    const git = startGit(args, {
      program: this.#program,
      directory: options.directory,
      environment: this.#environment,
    });
    this.#running.add(git);
    const late = setTimeout(git.stopSoon, options.timeoutMs ?? this.#timeoutMs);
    const output = this.#keep(git);
    git.input.end(options.input ?? new Uint8Array(0));
    try {
      const end = await git.ended;
      const { stdout, isCut } = output();
      return { code: statusOf(end), stdout, stderr: end.problem, isCut };
    } finally {
      clearTimeout(late);
      this.#running.delete(git);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running];
    for (const git of running) git.stopSoon();
    await Promise.allSettled(running.map(({ ended }) => ended));
  }

  /** Reads what git prints, up to the bound (GT2). Answers how to ask for it in the end. */
  #keep(git: GitProcess): () => Pick<GitResult, 'stdout' | 'isCut'> {
    let chunks: Buffer[] = [];
    let bytes = 0;
    git.output.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= this.#outputBytesMax) chunks.push(chunk);
      else {
        chunks = [];
        git.stop();
      }
    });
    return () => ({ stdout: Buffer.concat(chunks), isCut: bytes > this.#outputBytesMax });
  }
}

function statusOf({ code, signal }: GitEnd): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
