// The page of the HTTP interface, from the protocol's table of endpoints and their schemas.

import { type Authorization, commonErrors, type Endpoint } from '@firetrident/protocol';
import { z } from 'zod';
import { type JsonSchema, schemaText } from './schema-text.ts';
import { code, pageHead, table } from './table.ts';

const tokens: Readonly<Record<Authorization, string>> = {
  none: 'none',
  admin: "the administrator's",
  agent: "an agent's of the colony",
  any: "the administrator's or an agent's of the colony",
  join: "the administrator's or a join token",
  ticket: "the administrator's, an agent's, or a ticket in the address",
};

const rawBodies: Readonly<Record<string, string>> = {
  bytes: 'raw bytes',
  metrics: "text in Prometheus' format",
  socket: 'an upgrade to a WebSocket',
};

function shapeText(schema: z.ZodType, direction: 'input' | 'output'): string {
  return schemaText(z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' }) as JsonSchema);
}

function body(
  title: string,
  schema: Endpoint['request'] | Endpoint['response'],
  direction: 'input' | 'output',
): string[] {
  if (schema === null) return [];
  if (typeof schema === 'string') return [`${title}: ${rawBodies[schema]}.`, ''];
  const shape = shapeText(schema, direction);
  return shape === '{}' && title === 'Query' ? [] : [`${title}:`, '', '```jsonc', shape, '```', ''];
}

/** Names in an address that vary from call to call, as they are commonly written. */
function address(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}');
}

function section(name: string, endpoint: Endpoint): string[] {
  const errors = [...new Set([...endpoint.errors, ...commonErrors(endpoint)])];
  return [
    `## ${name}`,
    '',
    code(`${endpoint.method} ${address(endpoint.path)}`),
    '',
    endpoint.summary,
    '',
    `Token: ${tokens[endpoint.authorization]}. Status on success: ${endpoint.status}.`,
    '',
    ...body('Query', endpoint.query, 'input'),
    ...body('Request', endpoint.request, 'input'),
    ...body('Response', endpoint.response, 'output'),
    `Errors: ${errors.map(code).join(', ')}.`,
    '',
  ];
}

/** The text of docs/api.md. */
export function apiPage(endpoints: Readonly<Record<string, Endpoint>>): string {
  const entries = Object.entries(endpoints);
  const rows = entries.map(([name, endpoint]) => {
    return [`[${name}](#${name.toLowerCase()})`, endpoint.method, code(address(endpoint.path)), endpoint.summary];
  });
  const lines = [
    pageHead('HTTP interface', "the protocol's table of endpoints"),
    'Bodies are JSON in UTF-8, with `Authorization: Bearer <token>`. Times are ISO 8601 in UTC, and durations end in `Ms`.',
    'A field that is not listed is an error. What each error means stands on the page of [errors](errors.md).',
    '',
    table(['name', 'method', 'address', 'does'], rows),
    '',
    ...entries.flatMap(([name, endpoint]) => section(name, endpoint)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
