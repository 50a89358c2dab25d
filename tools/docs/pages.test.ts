// The generators of pages, on catalogues of one entry.

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiPage } from './api-page.ts';
import { configurationPage, errorsPage, metricsPage } from './catalogue-pages.ts';
import { commandPage } from './command-page.ts';
import { type JsonSchema, schemaText } from './schema-text.ts';

describe('the errors page', () => {
  it('has a row for each code, by status', () => {
    const page = errorsPage({
      stale_epoch: { status: 409, message: 'the lease has moved on', next: 'take again', hint: 'a | b' },
      bad_token: { status: 401, message: 'unknown token', next: 'nothing', hint: '' },
    });
    expect(page.indexOf('bad_token')).toBeLessThan(page.indexOf('stale_epoch'));
    expect(page).toContain('| 409 | `stale_epoch` | the lease has moved on | take again | a \\| b |');
  });
});

describe('the metrics page', () => {
  it('shows kind, labels and bounds', () => {
    const entry = { type: 'histogram', labels: ['colony'], help: 'Time of a cycle.', buckets: [0.1, 1] } as const;
    expect(metricsPage({ cycle_seconds: entry })).toContain(
      '| `cycle_seconds` | histogram | `colony` | Time of a cycle. | 0.1, 1 |',
    );
  });
});

describe('the page of the command line', () => {
  it('has a section for each command, reachable from the list, and the exit codes', () => {
    const option = { flags: '--limit <number>', description: 'how many', default: '20' };
    const command = { name: 'intents list', description: 'list intents', usage: '[options]', options: [option] };
    const page = commandPage({ commands: [command], exitCodes: [{ code: 4, meaning: 'Nothing.' }] });
    expect(page).toContain('- [`intents list`](#intents-list): list intents');
    expect(page).toContain('## intents list\n\n`firetrident intents list [options]`\n\nList intents.\n');
    expect(page).toContain('| `--limit <number>` | how many | 20 |');
    expect(page).toContain('| 4 | Nothing. |');
  });
});

describe('the configuration page', () => {
  it('shows defaults as they are written, and units from names', () => {
    const page = configurationPage({}, { leaseMs: { default: 600_000, meaning: 'Length of a lease.' } });
    expect(page).toContain('| `leaseMs` | `600000` | ms | Length of a lease. |');
  });

  it('keeps apart who reads a setting', () => {
    const setting = { flag: '--url', environment: null, default: 'none', meaning: 'Where to call.' } as const;
    const page = configurationPage({ url: { ...setting, reader: 'command line' } }, {});
    expect(page.indexOf('--url')).toBeGreaterThan(page.indexOf('## The command line'));
  });
});

describe('the interface page', () => {
  const endpoint = {
    method: 'POST',
    path: '/api/colonies/:colony/take',
    authorization: 'agent',
    summary: 'Asks for work.',
    query: z.strictObject({}),
    request: z.strictObject({
      waitMs: z.int().min(0).max(5).optional().describe('How long to wait.'),
      mode: z.enum(['a', 'b']),
      paths: z.array(z.union([z.string().max(9), z.null()])),
    }),
    response: 'bytes',
    status: 200,
    bodyBytes: 10,
    errors: ['stale_epoch'],
  } as const;

  it('shows shapes with limits and meanings', () => {
    const page = apiPage({ take: endpoint });
    expect(page).toContain('`POST /api/colonies/{colony}/take`');
    expect(page).toContain('"waitMs"?: integer  // How long to wait; 0 to 5');
    expect(page).toContain('"mode": "a" | "b"');
    expect(page).toContain('"paths": (string | null)[]');
    expect(page).toContain('Response: raw bytes.');
    expect(page).toContain('Errors: `stale_epoch`,');
  });

  it('says any where a schema says nothing', () => {
    expect(schemaText(z.toJSONSchema(z.unknown()) as JsonSchema)).toBe('any');
  });
});
