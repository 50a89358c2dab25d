// The exit codes of the command line: stable, so that scripts may branch on them.

/** Every exit code by its meaning. */
export const exitCodes = {
  success: 0,
  failure: 1,
  usage: 2,
  unreachable: 3,
  nothing: 4,
  returned: 5,
  held: 6,
  broken: 70,
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What each exit code says, for the page about commands. */
export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  success: 'Done.',
  failure: 'Understood, and not carried out: refused, failed, or something is wrong that the command was to look for.',
  usage: 'The command line itself is wrong. Nothing was done.',
  unreachable: 'No daemon answered.',
  nothing: 'There is nothing to do: no intent to take, or no change to propose.',
  returned: 'The proposal came back. Its brief was printed.',
  held: 'The data directory is held by another daemon.',
  broken: 'The daemon ended itself because an assumption of its own was broken. The last line of its log says which.',
  interrupted: 'Ended by Ctrl-C or SIGTERM before it was done.',
};
