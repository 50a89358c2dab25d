// Git commands on one repository that can be stopped from outside, for what waits on a network.

import { type GitProcess, startGit } from '@firetrident/adapters';

/** How a command ended; `code` is null when it was stopped. */
export interface GitAnswer {
  readonly code: number | null;
  readonly output: string;
  readonly problem: string;
}

/** Longest that one command may take, milliseconds. */
const commandMs = 120_000;
const environment = { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' };
const person = ['-c', 'user.name=FireTrident', '-c', 'user.email=colony@firetrident.invalid'];

/** Runs git on a repository, one command after the other or side by side. */
export class GitCalls {
  readonly #repository: string;
  readonly #running = new Set<GitProcess>();
  #stopped = false;

  constructor(repository: string) {
    this.#repository = repository;
  }

  async run(...args: readonly string[]): Promise<GitAnswer> {
    if (this.#stopped) return { code: null, output: '', problem: 'the colony is closing' };
    const git = startGit([...person, '--git-dir', this.#repository, ...args], { environment });
    this.#running.add(git);
    const timer = setTimeout(() => git.stop(), commandMs);
    try {
      git.input.end();
      let output = '';
      git.output.setEncoding('utf8');
      git.output.on('data', (chunk: string) => {
        output += chunk;
      });
      const { code, problem } = await git.ended;
      return { code, output: output.trimEnd(), problem: problem.trim() };
    } finally {
      clearTimeout(timer);
      this.#running.delete(git);
    }
  }

  /** Ends every command, and refuses further ones. */
  stop(): void {
    this.#stopped = true;
    for (const git of this.#running) git.stop();
  }
}
