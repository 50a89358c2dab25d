// The pages of errors, metrics and configuration, from the protocol's catalogues.

import type { DaemonSetting, ErrorEntry, MetricEntry, PolicySetting } from '@firetrident/protocol';
import { code, pageHead, table } from './table.ts';

/** The text of docs/errors.md: a row for each code, by status. */
export function errorsPage(catalogue: Readonly<Record<string, ErrorEntry>>): string {
  const rows = Object.entries(catalogue)
    .sort(([, left], [, right]) => left.status - right.status)
    .map(([name, entry]) => [String(entry.status), code(name), entry.message, entry.next, entry.hint]);
  return [
    pageHead('Errors', "the protocol's error catalogue"),
    'Every error of the HTTP interface, of a WebSocket call and of the command line is one of these. It comes as',
    '`{ "error": { "code", "message", "value", "next", "hint" } }`; `value` is what was wrong in this request. A refusal of',
    "an agent's work is not an error but an outcome: see the [glossary](glossary.md).",
    '',
    table(['status', 'code', 'what happened', 'what happens next', 'hint'], rows),
    '',
  ].join('\n');
}

/** The text of docs/metrics.md: a row for each metric, in the order of the catalogue. */
export function metricsPage(catalogue: Readonly<Record<string, MetricEntry>>): string {
  const rows = Object.entries(catalogue).map(([name, entry]) => {
    const bounds = entry.buckets === undefined ? '' : entry.buckets.join(', ');
    return [code(name), entry.type, entry.labels.map(code).join(', '), entry.help, bounds];
  });
  return [
    pageHead('Metrics', "the protocol's metric catalogue"),
    'The daemon serves these in the text format of Prometheus. Counters only grow; a gauge is the value now. The unit is the',
    'end of the name. Labels have few values: never an agent, an intent or a path.',
    '',
    table(['name', 'kind', 'labels', 'meaning', 'bounds of the buckets'], rows),
    '',
  ].join('\n');
}

function defaultText(value: unknown): string {
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'ms';
  return name.endsWith('Bytes') ? 'bytes' : '';
}

function settingsTable(settings: readonly DaemonSetting[]): string {
  const rows = settings.map((setting) => {
    return [code(setting.flag ?? ''), code(setting.environment ?? ''), setting.default, setting.meaning];
  });
  return table(['flag', 'environment', 'default', 'meaning'], rows);
}

/** The text of docs/configuration.md. */
export function configurationPage(
  daemon: Readonly<Record<string, DaemonSetting>>,
  policy: Readonly<Record<string, PolicySetting>>,
): string {
  const settings = Object.values(daemon);
  const fields = Object.entries(policy).map(([name, field]) => {
    return [code(name), defaultText(field.default), unitOf(name), field.meaning];
  });
  return [
    pageHead('Configuration', "the protocol's configuration catalogue"),
    'A setting is taken from its flag, else from the environment, else from its default. An unknown name is an error.',
    '',
    '## The daemon',
    '',
    settingsTable(settings.filter((setting) => setting.reader === 'daemon')),
    '',
    '## The command line',
    '',
    settingsTable(settings.filter((setting) => setting.reader === 'command line')),
    '',
    "## A colony's policy",
    '',
    'Given when the colony is created, and changed by an administrator over the [HTTP interface](api.md). A name with a dot',
    'is a field of a field.',
    '',
    table(['field', 'default', 'unit', 'meaning'], fields),
    '',
  ].join('\n');
}
