// Runs the command line on this process's arguments, output and environment.

import { readConfiguration } from './config.ts';
import { describeError } from './failure.ts';
import { type CommandSettings, programOf } from './program.ts';

// Whoever reads our output may stop early, as `head` does; that is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const settings: CommandSettings = {
  configuration: readConfiguration(),
  output: process.stdout,
  errors: process.stderr,
  end: (code) => {
    process.exitCode = code;
  },
};

try {
  await programOf(settings).parseAsync(process.argv);
} catch (error) {
  const failure = describeError(error);
  process.stderr.write(failure.text);
  process.exitCode = failure.code;
}
