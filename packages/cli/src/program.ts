// The table of contents of the command line.

import { Command } from 'commander';
import type { CliConfiguration } from './config.ts';

/** What every command is given. */
export interface CommandSettings {
  readonly configuration: CliConfiguration;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** Sets the exit code of a command that did what it was asked and found something to tell. */
  readonly end: (code: number) => void;
}

type Maker = (settings: CommandSettings) => Command;

/**
 * All commands, in the order in which a person meets them. Each is loaded when it is asked for: most of them need the
 * client alone, and whoever looks at a status should not wait for a daemon and a simulator to load.
 */
const loaders: Readonly<Record<string, () => Promise<Maker>>> = {
  start: async () => (await import('./commands/start.ts')).startCommand,
  up: async () => (await import('./commands/up.ts')).upCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  policy: async () => (await import('./commands/policy.ts')).policyCommand,
  intents: async () => (await import('./commands/intents.ts')).intentsCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  connect: async () => (await import('./commands/connect.ts')).connectCommand,
  hook: async () => (await import('./commands/hook.ts')).hookCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  take: async () => (await import('./commands/take.ts')).takeCommand,
  propose: async () => (await import('./commands/propose.ts')).proposeCommand,
  status: async () => (await import('./commands/status.ts')).statusCommand,
  watch: async () => (await import('./commands/watch.ts')).watchCommand,
  landings: async () => (await import('./commands/landings.ts')).landingsCommand,
  why: async () => (await import('./commands/why.ts')).whyCommand,
  upstream: async () => (await import('./commands/upstream.ts')).upstreamCommand,
  preserved: async () => (await import('./commands/preserved.ts')).preservedCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  bench: async () => (await import('./commands/bench.ts')).benchCommand,
};

/**
 * The program with the command that is asked for, or with every command when none of them is. Wrong usage is thrown as a
 * CommanderError, after it was explained on `errors`.
 */
export async function programOf(settings: CommandSettings, asked = ''): Promise<Command> {
  const program = new Command('firetrident')
    .description('A colony of coding agents landing on one git trunk.')
    .version('0.1.0')
    // What comes after the command of an agent belongs to that command.
    .enablePositionalOptions();
  const wanted = Object.hasOwn(loaders, asked) ? [asked] : Object.keys(loaders);
  for (const name of wanted) program.addCommand((await (loaders[name] as () => Promise<Maker>)())(settings));
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
