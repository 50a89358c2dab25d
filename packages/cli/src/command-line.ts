// One invocation of the command line: surroundings, program, exit code.

import { readConfiguration } from './config.ts';
import { describeError } from './failure.ts';
import { programOf } from './program.ts';

/** Runs the command that this process was started with, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  // Whoever reads our output may stop early, as `head` does; that is no fault of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const end = (code: number) => {
    process.exitCode = code;
  };
  try {
    const settings = { configuration: readConfiguration(), output: process.stdout, errors: process.stderr, end };
    const program = await programOf(settings, process.argv[2]);
    await program.parseAsync(process.argv);
  } catch (error) {
    const failure = describeError(error);
    process.stderr.write(failure.text);
    process.exitCode = failure.code;
  }
}
