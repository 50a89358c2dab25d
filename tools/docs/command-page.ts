// The page about the command line, from the program itself.

import type { CommandLineReference, CommandReference } from 'firetrident';
import { code, pageHead, table } from './table.ts';

/** The text of docs/cli.md: a section for each command, and the exit codes. */
export function commandPage(reference: CommandLineReference): string {
  const list = reference.commands.map(({ name, description }) => `- [\`${name}\`](#${anchor(name)}): ${description}`);
  const codes = reference.exitCodes.map((entry) => [String(entry.code), entry.meaning]);
  return [
    pageHead('Command line', 'the program of the package `cli`'),
    'In a checkout the command is `npx firetrident`, short `npx ft`. Results go to standard output, progress and errors to standard',
    'error. A command finds its daemon by `--url`, `--data`, `FT_URL` with `FT_TOKEN`, or in `.firetrident` of the current',
    'repository, in this order. Environment variables are on the page about [configuration](configuration.md).',
    '',
    ...list,
    '',
    '## Exit codes',
    '',
    table(['code', 'meaning'], codes),
    '',
    ...reference.commands.flatMap(section),
  ].join('\n');
}

function section({ name, description, usage, options }: CommandReference): string[] {
  const rows = options.map((option) => [code(option.flags), option.description, option.default]);
  return [
    `## ${name}`,
    '',
    `\`firetrident ${name} ${usage}\``,
    '',
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    '',
    table(['option', 'meaning', 'default'], rows),
    '',
  ];
}

/** The anchor that a heading gets. */
function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
