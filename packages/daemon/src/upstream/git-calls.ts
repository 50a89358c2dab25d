// Git commands on one repository that can be stopped from outside, for what waits on a network.
//
//   GK1. A command that moves a ref of trunk's is never cut off while the daemon lives, or its lock could stay: it is short, and
//        waited for.
//   GK2. What is stopped may first remove what it has locked.

import { type GitProcess, startGit } from '@firetrident/adapters';
import type { Clock } from '@firetrident/engine';

/** How a command ended; `code` is null when it was stopped. */
export interface GitAnswer {
  readonly code: number | null;
  readonly output: string;
  readonly problem: string;
}

/** How a command that asks a network is run. */
export interface GitCallOptions {
  /** Added to the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Longest that it may take, milliseconds. */
  readonly longestMs: number;
}

/** Longest that one command may take unless something else is said, milliseconds. */
export const commandMs = 120_000;
const environment = { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' };
const person = ['-c', 'user.name=FireTrident', '-c', 'user.email=colony@firetrident.invalid'];

/** Runs git on a repository, one command after the other or side by side. */
export class GitCalls {
  readonly #repository: string;
  readonly #clock: Clock;
  readonly #running = new Map<GitProcess, Promise<unknown>>();
  readonly #moving = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(repository: string, clock: Clock) {
    this.#repository = repository;
    this.#clock = clock;
  }

  run(...args: readonly string[]): Promise<GitAnswer> {
    return this.ask({ environment: {}, longestMs: commandMs }, ...args);
  }

  /** Runs a command that may be cut off. */
  async ask(options: GitCallOptions, ...args: readonly string[]): Promise<GitAnswer> {
    if (this.#stopped) return { code: null, output: '', problem: 'the colony is closing' };
    const git = this.#start(options.environment, args);
    let isLate = false;
    const cancel = this.#clock.after(options.longestMs, () => {
      isLate = true;
      git.stopSoon(); // (GK2)
    });
    try {
      const answer = answerOf(git);
      this.#running.set(git, answer);
      const ended = await answer;
      return isLate ? { ...ended, problem: `no answer within ${options.longestMs / 1_000} seconds` } : ended;
    } finally {
      cancel();
      this.#running.delete(git);
    }
  }

  /** Moves a ref by compare-and-swap; `from` empty when it must not be there. Never cut off (GK1). */
  async move(ref: string, to: string, from: string): Promise<GitAnswer> {
    if (this.#stopped) return { code: null, output: '', problem: 'the colony is closing' };
    const answer = answerOf(this.#start({}, ['update-ref', ref, to, from]));
    this.#moving.add(answer);
    try {
      return await answer;
    } finally {
      this.#moving.delete(answer);
    }
  }

  /** Ends every command but the moves, which it waits for (GK1), and refuses further ones. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const git of this.#running.keys()) git.stopSoon(); // (GK2)
    await Promise.allSettled([...this.#running.values(), ...this.#moving]);
  }

  #start(more: Readonly<Record<string, string>>, args: readonly string[]): GitProcess {
    const all = [...person, '--git-dir', this.#repository, ...args];
    return startGit(all, { environment: { ...environment, ...more } });
  }
}

async function answerOf(git: GitProcess): Promise<GitAnswer> {
  git.input.end();
  let output = '';
  git.output.setEncoding('utf8');
  git.output.on('data', (chunk: string) => {
    output += chunk;
  });
  const { code, problem } = await git.ended;
  return { code, output: output.trimEnd(), problem: problem.trim() };
}
