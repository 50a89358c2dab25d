// How each harness is told of a server of the Model Context Protocol: a command of its own, and a file of the project.
//
//   HN1. What others wrote into a file stays; only the entry called `firetrident` is made or made again.
//   HN3. The harness waits for the server before its model is asked first: otherwise a machine that is busy starts an agent that
//        knows of no colony, and ends at once.

import { isObject, type Json, parseProjectFile, readProjectFile, unusable } from './project-file.ts';

/** Harnesses that can be told. */
export const harnessNames = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type HarnessName = (typeof harnessNames)[number];

/** Name of the entry in every file. */
const entryName = 'firetrident';
/** What is put into a file, in the words of a refusal. */
const ours = 'entry';
/** How long a harness lets one tool call run: longer than any call waits. */
const toolTimeoutSeconds = 120;

/** One harness: where a project's configuration lies, and what stands in it. */
export interface Harness {
  /** Path from the top of the repository. */
  readonly file: string;
  /** The harness's own command that does the same. Null when it has none that asks nothing. */
  readonly command: (server: readonly string[]) => readonly string[] | null;
  /** The file's text with the entry in it; `before` is null when there is no file (HN1). */
  readonly written: (before: string | null, server: readonly string[]) => string;
}

export const harnesses: Readonly<Record<HarnessName, Harness>> = {
  claude: {
    file: '.mcp.json',
    command: (server) => [
      ...['claude', 'mcp', 'add-json', '--scope', 'project', entryName],
      JSON.stringify(claudeEntry(server)),
    ],
    written: (before, server) => withEntry('.mcp.json', before, ['mcpServers'], claudeEntry(server)),
  },
  codex: {
    file: '.codex/config.toml',
    // Its own command cannot say that the server is required (HN3).
    command: () => null,
    written: (before, server) => withTable(before ?? '', server),
  },
  gemini: {
    file: '.gemini/settings.json',
    command: (server) => ['gemini', 'mcp', 'add', '--scope', 'project', entryName, ...server],
    written: (before, [command, ...args]) =>
      withEntry('.gemini/settings.json', before, ['mcpServers'], {
        command,
        args,
        timeout: toolTimeoutSeconds * 1_000,
      }),
  },
  opencode: {
    file: 'opencode.json',
    command: () => null,
    written: (before, server) => withOpencodeEntry(before, server),
  },
};

/** The tools are shown from the first turn on, not only when the model searches for them (HN3). */
function claudeEntry([command, ...args]: readonly string[]): Json {
  return { type: 'stdio', command, args, alwaysLoad: true };
}

function withEntry(file: string, before: string | null, place: readonly string[], entry: Json): string {
  const whole = readProjectFile(file, before, ours);
  let container = whole;
  for (const name of place) {
    const held = container[name] ?? {};
    if (!isObject(held)) throw unusable(file, `${place.join('.')} is not an object`, ours);
    container[name] = held;
    container = held;
  }
  container[entryName] = entry;
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** The second version of opencode keeps its servers one level deeper; a file that does so is kept that way. */
function withOpencodeEntry(before: string | null, server: readonly string[]): string {
  const file = 'opencode.json';
  const whole: Json =
    before === null ? { $schema: 'https://opencode.ai/config.json' } : parseProjectFile(file, before, ours);
  const isDeeper = isObject(whole.mcp) && isObject(whole.mcp.servers);
  const entry = { type: 'local', command: [...server] };
  return isDeeper
    ? withEntry(file, before, ['mcp', 'servers'], entry)
    : withEntry(file, JSON.stringify(whole), ['mcp'], { ...entry, enabled: true, timeout: toolTimeoutSeconds * 1_000 });
}

/** A TOML file with our table at its end, and no other of that name. */
function withTable(before: string, [command = '', ...args]: readonly string[]): string {
  const own = new RegExp(`^\\s*\\[mcp_servers\\.(?:${entryName}|"${entryName}")(?:\\..*)?\\]\\s*(?:#.*)?$`);
  const kept: string[] = [];
  let isOurs = false;
  for (const line of before.split('\n')) {
    if (/^\s*\[/.test(line)) isOurs = own.test(line);
    if (!isOurs) kept.push(line);
  }
  const rest = kept.join('\n').trimEnd();
  const table = [
    `[mcp_servers.${entryName}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    'required = true',
    'startup_timeout_sec = 30',
    `tool_timeout_sec = ${toolTimeoutSeconds}`,
  ];
  return `${rest === '' ? '' : `${rest}\n\n`}${table.join('\n')}\n`;
}
