// What the command line offers, as data: for the page about it.

import type { Command } from 'commander';
import { type CliConfiguration, readConfiguration } from './config.ts';
import { exitCodes, exitMeanings } from './exit-codes.ts';
import { programOf, withSubcommands } from './program.ts';

/** One command with its arguments and options. */
export interface CommandReference {
  /** The words after `firetrident`. */
  readonly name: string;
  readonly description: string;
  /** What stands after the name, such as `[options] <file>`. */
  readonly usage: string;
  readonly options: readonly { readonly flags: string; readonly description: string; readonly default: string }[];
}

/** The whole command line. */
export interface CommandLineReference {
  readonly commands: readonly CommandReference[];
  readonly exitCodes: readonly { readonly code: number; readonly meaning: string }[];
}

/** Reads the reference off the program itself. */
export async function commandLineReference(
  configuration: CliConfiguration = readConfiguration(),
): Promise<CommandLineReference> {
  const settings = { configuration, output: process.stdout, errors: process.stderr, end: () => undefined };
  const program = await programOf(settings);
  const leaves = withSubcommands(program).filter((command) => command.commands.length === 0);
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return {
    commands: leaves.map(describe),
    exitCodes: names.map((name) => ({ code: exitCodes[name], meaning: exitMeanings[name] })),
  };
}

function describe(command: Command): CommandReference {
  const { options } = command;
  return {
    name: nameOf(command),
    description: command.description(),
    usage: command.usage(),
    options: options.map(({ flags, description, defaultValue, defaultValueDescription }) => ({
      flags,
      description,
      default: defaultValueDescription ?? (defaultValue === undefined ? '' : String(defaultValue)),
    })),
  };
}

function nameOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}
