// The options that many commands share, and how values on the command line are read: a wrong one is refused in words,
// before anything else happens.

import { Command, InvalidArgumentError, Option } from 'commander';

/** A duration of an option, whose name is its flag's and says no unit. */
export type Milliseconds = number;

/** Where the daemon is. */
export interface DaemonPlace {
  readonly data?: string;
  readonly url?: string;
}

/** What every command about a colony takes. */
export interface ColonyOptions extends DaemonPlace {
  readonly colony?: string;
  readonly json?: boolean;
}

/** A command that speaks to a daemon. */
export function daemonCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--data <directory>', 'data directory of the daemon (default: .firetrident of the current repository)')
    .option('--url <address>', 'address of the daemon (default: FT_URL, else the daemon of the data directory)')
    .option('--json', 'print JSON');
}

/** A command about one colony. */
export function colonyCommand(name: string, description: string): Command {
  return daemonCommand(name, description).option('--colony <id>', 'the colony (default: the only one)');
}

/** An option whose value is a whole number within bounds. */
export function numberOption(flags: string, description: string, low: number, high: number): Option {
  return new Option(flags, description).argParser((text) => readWhole(text, low, high));
}

/** An option whose value is a duration such as 90s, 10m or 1h; a bare number is seconds. The command gets milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(readDurationMs);
}

/** Reads a whole number within bounds, or refuses it as commander reports refusals. */
export function readWhole(text: string, low: number, high: number): number {
  const value = Number(text);
  if (/^[+-]?[0-9]{1,15}$/.test(text) && value >= low && value <= high) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const longestMs = 7 * 24 * 3_600_000;

/** Reads a duration into milliseconds, or refuses it. */
export function readDurationMs(text: string): number {
  const [, amount, unit = 's'] = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(amount) * (unitsMs[unit] ?? 0));
  if (amount !== undefined && milliseconds > 0 && milliseconds <= longestMs) return milliseconds;
  throw new InvalidArgumentError('It must be a duration such as 90s, 10m or 1h, up to 7 days.');
}

/** An id with its prefix, or a refusal. */
export function readId<Prefix extends string>(prefix: Prefix): (text: string) => `${Prefix}_${string}` {
  return (text) => {
    if (new RegExp(`^${prefix}_[0-9A-Za-z]{1,60}$`).test(text)) return text as `${Prefix}_${string}`;
    throw new InvalidArgumentError(`It must be an id that begins with ${prefix}_.`);
  };
}

/** Collects the values of an option that may be given several times. */
export function collect<Value>(
  read: (text: string) => Value,
): (text: string, before: readonly Value[] | undefined) => Value[] {
  return (text, before) => [...(before ?? []), read(text)];
}

/** Reads a list with commas; each value once, in the order in which they were given. */
export function listOf<Value>(read: (text: string) => Value): (text: string) => readonly Value[] {
  return (text) => [...new Set(text.split(',').map((part) => read(part.trim())))];
}
