// `firetrident connect`: tells a harness of the colony, in the one line or file that it reads.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, type Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { type HarnessName, harnesses, harnessNames } from '../mcp/harnesses.ts';
import { type HarnessHooks, harnessHooks } from '../mcp/hooks.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface ConnectOptions extends ColonyOptions {
  readonly write?: boolean;
  readonly hooks?: boolean;
}

/** The command of a checkout, when it is not on the path. */
const ownProgram = fileURLToPath(new URL('../../bin/firetrident.js', import.meta.url));

/** The command `connect`. */
export function connectCommand(settings: CommandSettings): Command {
  return colonyCommand('connect', 'print, or write, the configuration with which an agent’s harness joins over MCP')
    .addArgument(new Argument('<harness>', 'which one').choices(harnessNames))
    .option('--write', 'write it into the file of the current repository that the harness reads')
    .option('--hooks', 'also let it report which files it reads, where it has hooks for that: claude, codex')
    .action((name: HarnessName, options: ConnectOptions) => connectTo(settings, name, options));
}

function connectTo({ configuration, output }: CommandSettings, name: HarnessName, options: ConnectOptions): void {
  const harness = harnesses[name];
  const program = programWords(configuration.path);
  const server = [...program, 'mcp', '--kind', name, ...placeWords(options)];
  const command = harness.command(server);
  const top = configuration.repository ?? configuration.directory;
  const hooks = options.hooks === true ? hooksOf(name) : null;
  const hook = [...program, 'hook', 'read'];
  if (options.write !== true) {
    const text = harness.written(null, server);
    const also = hooks === null ? null : { file: join(top, hooks.file), text: hooks.written(null, hook) };
    const file = join(top, harness.file);
    if (options.json === true) {
      output.write(`${JSON.stringify({ harness: name, file, server, command, text, hooks: also })}\n`);
      return;
    }
    output.write(printedText(command, harness.file, text));
    if (hooks !== null && also !== null) output.write(`\n${printedText(null, hooks.file, also.text)}`);
    return;
  }
  const { file, written } = writeInto(top, harness.file, (before) => harness.written(before, server));
  const also = hooks === null ? null : writeInto(top, hooks.file, (before) => hooks.written(before, hook));
  if (options.json === true) {
    output.write(`${JSON.stringify({ harness: name, file, server, written, hooks: also })}\n`);
    return;
  }
  for (const each of also === null ? [{ file, written }] : [{ file, written }, also])
    output.write(`${each.file} ${each.written ? 'is written' : 'has it already'}.\n`);
  output.write(
    `Start ${name} in this repository.\n${hooks?.next === undefined || hooks.next === null ? '' : `${hooks.next}\n`}`,
  );
}

function hooksOf(name: HarnessName): HarnessHooks {
  const hooks = harnessHooks[name];
  if (hooks !== undefined) return hooks;
  throw new CommandFailure(`${name} has no hooks that could tell what it reads`, 'leave out --hooks', exitCodes.usage);
}

/** Writes a file of the repository unless it says so already. */
function writeInto(top: string, path: string, textFor: (before: string | null) => string) {
  const file = join(top, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const text = textFor(before);
  mkdirSync(dirname(file), { recursive: true });
  if (text !== before) writeFileSync(file, text);
  return { file, written: text !== before };
}

function printedText(command: readonly string[] | null, file: string, text: string): string {
  const once = command === null ? '' : `Run this once in the repository:\n\n  ${command.map(quoted).join(' ')}\n\nOr p`;
  return `${once === '' ? 'P' : once}ut this into ${file}, or let --write do it:\n\n${text}`;
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The program as a harness starts it: by its name where that is on the path. npm and npx put a project's own programs there
 * for the time of one command, and a harness would not find them.
 */
function programWords(path: string): string[] {
  const folders = path
    .split(delimiter)
    .filter((folder) => folder !== '' && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
  const isOnPath = folders.some((folder) => existsSync(join(folder, 'firetrident')));
  return isOnPath ? ['firetrident'] : ['node', ownProgram];
}

function placeWords({ data, url, colony }: ColonyOptions): string[] {
  return [
    ...(data === undefined ? [] : ['--data', data]),
    ...(url === undefined ? [] : ['--url', url]),
    ...(colony === undefined ? [] : ['--colony', colony]),
  ];
}
