// The exit codes of the command line: stable, so that scripts may branch on them.

/** Every exit code by its meaning; docs/cli.md lists them. */
export const exitCodes = {
  /** Done. */
  success: 0,
  /** The command was understood and could not be carried out: refused, failed, found something wrong. */
  failure: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** No daemon answered. */
  unreachable: 3,
  /** There is nothing to do: no intent to take. */
  nothing: 4,
  /** The proposal came back; its brief was printed. */
  returned: 5,
  /** The data directory is held by another daemon. */
  held: 6,
  /** Ended by Ctrl-C or SIGTERM before it was done. */
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
