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

/** Runs git as a process of its own, with a clean environment and without prompting. */
export interface GitRunner {
  run(
    args: readonly string[],
    options?: { readonly input?: Uint8Array; readonly directory?: string },
  ): Promise<GitResult>;
}
