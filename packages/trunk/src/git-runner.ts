// Port to stock git, for what it does better than we: fetching, repacking, checking.

/** How a git command ended. */
export interface GitResult {
  /** Exit status; a command killed by a signal counts as 128 plus the signal's number. */
  readonly code: number;
  readonly stdout: Uint8Array;
  /** Error output as text. */
  readonly stderr: string;
  /** There was more output than the runner keeps: git was stopped, and `stdout` is empty. */
  readonly isCut: boolean;
}

/** How one command is run. */
export interface GitRunOptions {
  /** Its standard input; nothing unless set. */
  readonly input?: Uint8Array;
  /** Where it works. */
  readonly directory?: string;
  /** A command that runs longer is stopped; the runner has a bound of its own unless this is set. */
  readonly timeoutMs?: number;
}

/** Runs git as a process of its own, with a clean environment and without prompting. */
export interface GitRunner {
  run(args: readonly string[], options?: GitRunOptions): Promise<GitResult>;
  /** Ends what is under way, with all that it started, and waits for its end. What is run later rejects, `git-failed`. */
  close(): Promise<void>;
}
