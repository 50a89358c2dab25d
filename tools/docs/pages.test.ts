// The generators of pages, on catalogues of one entry.

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiPage } from './api-page.ts';
import { errorsPage, metricsPage } from './catalogue-pages.ts';
import { configurationPage } from './configuration-page.ts';
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
  it('shows kind, unit and labels', () => {
    const entry = { kind: 'histogram', unit: 'seconds', labels: ['colony'], help: 'Time of a cycle.' };
    expect(metricsPage({ ft_cycle: entry })).toContain(
      '| `ft_cycle` | histogram | seconds | `colony` | Time of a cycle. |',
    );
  });
});

describe('the configuration page', () => {
  it('shows defaults as they are written', () => {
    const entry = { name: 'leaseMs', type: 'number', default: 600_000, unit: 'ms', description: 'Length of a lease.' };
    const page = configurationPage({ environment: [], flags: [], policy: [entry] });
    expect(page).toContain('| `leaseMs` | `number` | `600000` | ms | Length of a lease. |');
  });
});

describe('the interface page', () => {
  const request = z.strictObject({
    waitMs: z.int().min(0).max(5).optional().describe('How long to wait.'),
    mode: z.enum(['a', 'b']),
    paths: z.array(z.union([z.string().max(9), z.null()])),
  });

  it('shows shapes with limits and meanings', () => {
    const page = apiPage([
      { method: 'POST', path: '/api/take', auth: 'agent', summary: 'Asks for work.', request, errors: ['bad_token'] },
    ]);
    expect(page).toContain('## POST /api/take');
    expect(page).toContain('"waitMs"?: integer  // How long to wait; 0 to 5');
    expect(page).toContain('"mode": "a" | "b"');
    expect(page).toContain('"paths": (string | null)[]');
    expect(page).toContain('Errors: `bad_token`.');
  });

  it('says any where a schema says nothing', () => {
    expect(schemaText(z.toJSONSchema(z.unknown()) as JsonSchema)).toBe('any');
  });
});
