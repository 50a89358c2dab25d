// The page of the HTTP interface, from the list of endpoints and their schemas.

import { z } from 'zod';
import { type JsonSchema, schemaText } from './schema-text.ts';
import { code, pageHead, table } from './table.ts';

/** One endpoint as the protocol lists it. */
export type EndpointEntry = {
  method: string;
  path: string;
  auth: string;
  summary: string;
  request?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  response?: z.ZodType | undefined;
  errors: readonly string[];
};

function shape(schema: z.ZodType, direction: 'input' | 'output'): string {
  const json = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' });
  return `\`\`\`jsonc\n${schemaText(json as JsonSchema)}\n\`\`\``;
}

function section(endpoint: EndpointEntry): string[] {
  const parts = [`## ${endpoint.method} ${endpoint.path}`, '', endpoint.summary, '', `Token: ${endpoint.auth}.`, ''];
  if (endpoint.query !== undefined) parts.push('Query:', '', shape(endpoint.query, 'input'), '');
  if (endpoint.request !== undefined) parts.push('Request:', '', shape(endpoint.request, 'input'), '');
  if (endpoint.response !== undefined) parts.push('Response:', '', shape(endpoint.response, 'output'), '');
  if (endpoint.errors.length > 0) parts.push(`Errors: ${endpoint.errors.map(code).join(', ')}.`, '');
  return parts;
}

/** The text of docs/api.md. */
export function apiPage(endpoints: readonly EndpointEntry[]): string {
  const rows = endpoints.map((endpoint) => [endpoint.method, code(endpoint.path), endpoint.auth, endpoint.summary]);
  return [
    pageHead('HTTP interface', "the protocol's list of endpoints"),
    'Bodies are JSON in UTF-8, with `Authorization: Bearer <token>`. Times are ISO 8601 in UTC, and durations end in `Ms`.',
    'A field that is not listed is an error. What each error means stands on the page of [errors](errors.md).',
    '',
    table(['method', 'path', 'token', 'does'], rows),
    '',
    ...endpoints.flatMap(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
