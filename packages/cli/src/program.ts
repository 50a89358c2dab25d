// The table of contents of the command line.

import { Command } from 'commander';
import { benchCommand } from './commands/bench.ts';
import { connectCommand } from './commands/connect.ts';
import { doctorCommand } from './commands/doctor.ts';
import { initCommand } from './commands/init.ts';
import { intentsCommand } from './commands/intents.ts';
import { landingsCommand } from './commands/landings.ts';
import { mcpCommand } from './commands/mcp.ts';
import { preservedCommand } from './commands/preserved.ts';
import { proposeCommand } from './commands/propose.ts';
import { runCommand } from './commands/run.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { takeCommand } from './commands/take.ts';
import { upCommand } from './commands/up.ts';
import { watchCommand } from './commands/watch.ts';
import { whyCommand } from './commands/why.ts';
import type { CliConfiguration } from './config.ts';

/** What every command is given. */
export interface CommandSettings {
  readonly configuration: CliConfiguration;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** Sets the exit code of a command that did what it was asked and found something to tell. */
  readonly end: (code: number) => void;
}

/** The makers of all commands, in the order in which a person meets them. */
const makers: readonly ((settings: CommandSettings) => Command)[] = [
  startCommand,
  upCommand,
  initCommand,
  intentsCommand,
  runCommand,
  connectCommand,
  mcpCommand,
  takeCommand,
  proposeCommand,
  statusCommand,
  watchCommand,
  landingsCommand,
  whyCommand,
  preservedCommand,
  doctorCommand,
  benchCommand,
];

/** The program with every command. Wrong usage is thrown as a CommanderError, after it was explained on `errors`. */
export function programOf(settings: CommandSettings): Command {
  const program = new Command('firetrident')
    .description('A colony of coding agents landing on one git trunk.')
    .version('0.1.0')
    // What comes after the command of an agent belongs to that command.
    .enablePositionalOptions();
  for (const make of makers) program.addCommand(make(settings));
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError(`(firetrident ${pathOf(command)}--help shows the options)`);
    command.configureOutput({
      writeOut: (text) => settings.output.write(text),
      writeErr: (text) => settings.errors.write(text),
    });
  }
  return program;
}

/** A command and all below it. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Names from below the program down to the command, each with a blank after it. */
function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)}${command.name()} `;
}
