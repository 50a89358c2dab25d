// The catalogues hold together: codes, endpoints, metrics and settings name each other rightly.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  commonErrors,
  configurationCatalogue,
  type Endpoint,
  endpoints,
  errorCatalogue,
  frameCalls,
  liveFrame,
  metricCatalogue,
  plannedFrameTypes,
} from './index.ts';
import { policySchema, resolvedPolicySchema } from './policy.ts';

const rows = Object.entries<Endpoint>(endpoints);

describe('errors', () => {
  test.each(Object.entries(errorCatalogue))(
    '[ER2] %s says what went wrong, what happens next and what to do',
    (code, entry) => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(entry.status).toBeGreaterThanOrEqual(400);
      expect(entry.status).toBeLessThan(600);
      for (const text of [entry.message, entry.next, entry.hint]) expect(text).toMatch(/^.{8,}[.]$/);
    },
  );

  test('codes that callers rely on keep their statuses', () => {
    const expected = {
      stale_epoch: 409,
      confirm_needs_writes: 409,
      write_basis: 422,
      path_outside: 422,
      path_reserved: 422,
      path_invalid: 422,
      path_case_clash: 422,
    } as const;
    for (const [code, status] of Object.entries(expected)) {
      expect(errorCatalogue[code as keyof typeof expected].status).toBe(status);
    }
  });

  test('every error belongs to an endpoint, or to calls that reach none', () => {
    const named = new Set(rows.flatMap(([, endpoint]) => [...endpoint.errors, ...commonErrors(endpoint)]));
    const rest = Object.keys(errorCatalogue).filter((code) => !named.has(code as keyof typeof errorCatalogue));
    expect(rest.sort()).toEqual([
      'git_busy',
      'head_too_large',
      'host_refused',
      'malformed_call',
      'method_not_allowed',
      'not_found',
    ]);
  });
});

describe('endpoints', () => {
  test('[EP1] an address and method are named once', () => {
    const seen = rows.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test.each(rows)('%s can be described', (_, endpoint) => {
    for (const schema of [endpoint.query, endpoint.request, endpoint.response]) {
      if (schema === null || typeof schema === 'string') continue;
      expect(z.toJSONSchema(schema, { io: 'input' })).toBeTypeOf('object');
    }
    expect(endpoint.summary).toMatch(/[.]$/);
    expect(endpoint.bodyBytes > 0).toBe(endpoint.request !== null);
  });

  test.each(rows)('%s knows no unknown query field', (_, endpoint) => {
    expect(endpoint.query.safeParse({ surprise: '1' }).success).toBe(false);
  });
});

describe('live', () => {
  test('the frame types that callers rely on are made or planned', () => {
    const made = liveFrame.options.map((option) => option.shape.type.value as string);
    const relied = [
      'intent',
      'take',
      'claim',
      'propose',
      'landed',
      'returned',
      'rejected',
      'metric',
      'sigma',
      'heads-up',
      'attention',
    ];
    expect(made).toEqual(expect.arrayContaining(relied));
    expect([...plannedFrameTypes]).toEqual(['checks']);
    expect(made.filter((type) => (plannedFrameTypes as readonly string[]).includes(type))).toEqual([]);
  });

  test('a call on a socket takes the body of its endpoint', () => {
    for (const [call, schema] of Object.entries(frameCalls)) {
      expect(endpoints[call as keyof typeof frameCalls].request).toBe(schema);
    }
  });
});

describe('metrics', () => {
  test.each(Object.entries(metricCatalogue))('[ME1] %s is named and labelled by custom', (name, entry) => {
    expect(name).toMatch(/^firetrident_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(entry.type === 'counter');
    expect(entry.labels.every((label) => !/agent|intent|path|proposal|lease/.test(label))).toBe(true);
  });
});

describe('configuration', () => {
  const defaults = Object.entries(configurationCatalogue.policy);

  test('every field of the policy is in the catalogue, and nothing else', () => {
    const nested = ['reads', 'landing', 'limits'] as const;
    const names = Object.entries(resolvedPolicySchema.shape).flatMap(([name, schema]) =>
      (nested as readonly string[]).includes(name)
        ? Object.keys((schema as z.ZodObject).shape).map((inner) => `${name}.${inner}`)
        : [name],
    );
    expect(defaults.map(([name]) => name).sort()).toEqual(names.sort());
  });

  test('the defaults are a policy that may be sent', () => {
    const policy: Record<string, unknown> = {};
    for (const [name, { default: value }] of defaults) {
      const [outer = '', inner] = name.split('.');
      if (inner === undefined) policy[outer] = value;
      else policy[outer] = { ...(policy[outer] as object | undefined), [inner]: value };
    }
    expect(resolvedPolicySchema.safeParse(policy)).toMatchObject({ success: true });
    expect(policySchema.safeParse(policy)).toMatchObject({ success: true });
  });
});
