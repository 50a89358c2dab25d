// `firetrident connect`: tells a harness of the colony, in the one line or file that it reads.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, type Command } from 'commander';
import { type HarnessName, harnesses, harnessNames } from '../mcp/harnesses.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface ConnectOptions extends ColonyOptions {
  readonly write?: boolean;
}

/** The command of a checkout, when it is not on the path. */
const ownProgram = fileURLToPath(new URL('../../bin/firetrident.js', import.meta.url));

/** The command `connect`. */
export function connectCommand(settings: CommandSettings): Command {
  return colonyCommand('connect', 'print, or write, the configuration with which an agent’s harness joins over MCP')
    .addArgument(new Argument('<harness>', 'which one').choices(harnessNames))
    .option('--write', 'write it into the file of the current repository that the harness reads')
    .action((name: HarnessName, options: ConnectOptions) => connectTo(settings, name, options));
}

function connectTo({ configuration, output }: CommandSettings, name: HarnessName, options: ConnectOptions): void {
  const harness = harnesses[name];
  const server = [...programWords(configuration.path), 'mcp', '--kind', name, ...placeWords(options)];
  const file = join(configuration.repository ?? configuration.directory, harness.file);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const command = harness.command(server);
  if (options.write !== true) {
    const text = harness.written(null, server);
    if (options.json === true) output.write(`${JSON.stringify({ harness: name, file, server, command, text })}\n`);
    else output.write(printedText(command, harness.file, text));
    return;
  }
  const text = harness.written(before, server);
  mkdirSync(dirname(file), { recursive: true });
  if (text !== before) writeFileSync(file, text);
  const changed = text !== before;
  if (options.json === true) output.write(`${JSON.stringify({ harness: name, file, server, written: changed })}\n`);
  else output.write(`${file} ${changed ? 'is written' : 'has it already'}. Start ${name} in this repository.\n`);
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
