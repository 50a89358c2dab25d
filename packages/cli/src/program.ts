// The table of contents of the command line.

import { Command } from 'commander';
import { upCommand } from './commands/up.ts';
import type { CliConfiguration } from './config.ts';

/** What every command is given. */
export interface CommandSettings {
  readonly configuration: CliConfiguration;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
}

/** The program with every command. */
export function programOf(settings: CommandSettings): Command {
  const program = new Command('firetrident')
    .description('A colony of coding agents landing on one git trunk.')
    .version('0.1.0')
    .enablePositionalOptions()
    .exitOverride();
  for (const make of [upCommand]) program.addCommand(make(settings));
  return program;
}
