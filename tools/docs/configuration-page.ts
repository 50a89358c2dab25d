// The page of everything that can be configured.

import { code, pageHead, table } from './table.ts';

/** One option: where it is written depends on its list. */
export type OptionEntry = { name: string; type: string; default: unknown; unit?: string | null; description: string };

/** The three lists of the configuration catalogue. */
export type ConfigurationCatalogue = {
  environment: readonly OptionEntry[];
  flags: readonly OptionEntry[];
  policy: readonly OptionEntry[];
};

function defaultText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function optionTable(entries: readonly OptionEntry[]): string {
  const rows = entries.map((entry) => {
    return [code(entry.name), code(entry.type), defaultText(entry.default), entry.unit ?? '', entry.description];
  });
  return table(['name', 'type', 'default', 'unit', 'meaning'], rows);
}

/** The text of docs/configuration.md. */
export function configurationPage(catalogue: ConfigurationCatalogue): string {
  return [
    pageHead('Configuration', "the protocol's configuration catalogue"),
    'An option is taken from the flag, else from the environment, else from its default. An unknown name is an error.',
    '',
    '## Flags',
    '',
    optionTable(catalogue.flags),
    '',
    '## Environment',
    '',
    optionTable(catalogue.environment),
    '',
    "## A colony's policy",
    '',
    'Set when the colony is created and changed over the HTTP interface by an administrator.',
    '',
    optionTable(catalogue.policy),
    '',
  ].join('\n');
}
