// The pages of errors and metrics, from their catalogues.

import { code, pageHead, table } from './table.ts';

/** One error as the catalogue of the protocol describes it. */
export type ErrorEntry = { status: number; message: string; next: string; hint: string };

/** One metric as the catalogue of the protocol describes it. */
export type MetricEntry = { kind: string; unit: string; labels: readonly string[]; help: string };

/** The text of docs/errors.md. */
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

/** The text of docs/metrics.md. */
export function metricsPage(catalogue: Readonly<Record<string, MetricEntry>>): string {
  const rows = Object.entries(catalogue).map(([name, entry]) => {
    return [code(name), entry.kind, entry.unit, entry.labels.map(code).join(', '), entry.help];
  });
  return [
    pageHead('Metrics', "the protocol's metric catalogue"),
    'The daemon serves these in the text format of Prometheus. Counters only grow; a gauge is the value now.',
    '',
    table(['name', 'kind', 'unit', 'labels', 'meaning'], rows),
    '',
  ].join('\n');
}
