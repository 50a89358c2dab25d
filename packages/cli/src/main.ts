// The entry of the command line: one program, one file per command.

import { readConfiguration } from './config.ts';
import { describeError } from './failure.ts';
import { type CommandSettings, programOf } from './program.ts';

const settings: CommandSettings = {
  configuration: readConfiguration(),
  output: process.stdout,
  errors: process.stderr,
};

try {
  await programOf(settings).parseAsync(process.argv);
} catch (error) {
  const failure = describeError(error);
  process.stderr.write(failure.text);
  process.exitCode = failure.code;
}
